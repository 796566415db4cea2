import { dialects } from "../../src/apis/index.ts";
import type { Dialect, DialectId } from "../../src/core/types.ts";
import type { MessageBuilders } from "../../src/testing/index.ts";
import * as testing from "../../src/testing/index.ts";

/** All dialects with their message types forgotten: the suites treat wire messages as opaque objects. */
export const DIALECTS = dialects as unknown as Readonly<Record<string, Dialect<object>>>;

export const DIALECT_IDS = Object.keys(DIALECTS);

export function dialectOf(id: DialectId): Dialect<object> {
  const dialect = DIALECTS[id];
  if (dialect === undefined) throw new Error(`No dialect "${id}".`);
  return dialect;
}

/** The builders of every dialect, with their message types forgotten. */
export const BUILDERS: Readonly<Record<string, MessageBuilders<object>>> = {
  "openai-chat": testing.chat,
  "openai-responses": testing.responses,
  "anthropic-messages": testing.anthropic,
  "ai-sdk": testing.aiSdk,
  "gemini-contents": testing.gemini,
};
