import type { Message } from "../../core/types.ts";
import { type CountOptions, countInSlices } from "../compaction/measure.ts";
import type { Windows } from "../compaction/windows.ts";
import type { Loaded } from "./loaded.ts";

/** From here on counting takes long enough for other requests to notice (tokens, roughly). */
const LONG_FROM_TOKENS = 50_000;

/** Newest messages of transcripts that were counted whole. */
const counted = new WeakSet<Message>();

/** Would counting this conversation keep others waiting? */
export function isCountingLong({ conversation, messages }: Loaded): boolean {
  const newest = messages.at(-1);
  return conversation.tokens >= LONG_FROM_TOKENS && newest !== undefined && !counted.has(newest);
}

/** Counts a long transcript piece by piece, so that the engine, which counts all of it at once, is done in no time. */
export async function countAhead(
  parts: { readonly windows: Windows },
  loaded: Loaded,
  options?: CountOptions,
): Promise<void> {
  if (!isCountingLong(loaded)) return;
  await countInSlices(parts, loaded.choice, loaded.messages, options);
  const newest = loaded.messages.at(-1);
  if (newest) counted.add(newest);
}
