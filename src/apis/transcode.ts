import type { Message } from "../core/types.ts";
import { encode as encodeAiSdk } from "./ai-sdk/encode.ts";
import { encode as encodeOpenaiChat } from "./chat/encode.ts";
import { dialectById } from "./dialect-by-id.ts";
import { encode as encodeGeminiContents } from "./gemini/encode.ts";
import { encode as encodeAnthropicMessages } from "./messages/encode.ts";
import { encode as encodeOpenaiResponses } from "./responses/encode.ts";
import { type Arranged, arrange, createLosses, type Encoded, type Losses } from "./shared/arrange.ts";

/** What `encode` returns. */
export interface Transcoded {
  readonly messages: unknown[];
  /** The system prompt, where the format keeps it apart. */
  readonly system?: unknown;
  /** What was lost or had to be added, each kind once. */
  readonly warnings: string[];
}

const encoders: Readonly<
  Record<string, (messages: readonly Arranged[], losses: Losses) => Encoded<unknown>>
> = {
  "openai-chat": encodeOpenaiChat,
  "openai-responses": encodeOpenaiResponses,
  "anthropic-messages": encodeAnthropicMessages,
  "ai-sdk": encodeAiSdk,
  "gemini-contents": encodeGeminiContents,
};

/**
 * Messages as legal wire messages of a dialect. What they came from needn't be legal: results are moved behind their
 * calls, and what has no place in the format is left out and reported.
 */
export function encode(dialectId: string, messages: readonly Message[]): Transcoded {
  const encoder = encoders[dialectById(dialectId).id];
  if (encoder === undefined) throw new Error(`precis: the dialect "${dialectId}" has no encoder.`);
  const losses = createLosses();
  const encoded = encoder(arrange(messages, losses), losses);
  return { ...encoded, warnings: losses.list() };
}
