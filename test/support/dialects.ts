import {
  aiSdk,
  anthropicMessages,
  geminiContents,
  openaiChat,
  openaiResponses,
} from "../../src/apis/index.ts";
import type { Dialect, DialectId } from "../../src/core/types.ts";

/** All dialects with their message types forgotten: the suites treat wire messages as opaque objects. */
export const DIALECTS: Readonly<Record<string, Dialect<object>>> = {
  "openai-chat": openaiChat as unknown as Dialect<object>,
  "openai-responses": openaiResponses as unknown as Dialect<object>,
  "anthropic-messages": anthropicMessages as unknown as Dialect<object>,
  "ai-sdk": aiSdk as unknown as Dialect<object>,
  "gemini-contents": geminiContents as unknown as Dialect<object>,
};

export const DIALECT_IDS = Object.keys(DIALECTS);

export function dialectOf(id: DialectId): Dialect<object> {
  const dialect = DIALECTS[id];
  if (dialect === undefined) throw new Error(`No dialect "${id}".`);
  return dialect;
}
