import { setImmediate as breathe } from "node:timers/promises";
import type { Message } from "../../core/types.ts";
import { measureOf } from "../compaction/measure-of.ts";
import type { Windows } from "../compaction/windows.ts";
import type { Loaded } from "./loaded.ts";

/** From here on counting takes long enough for other requests to notice (tokens, roughly). */
const LONG_FROM_TOKENS = 50_000;
/** How long counting may keep others waiting (milliseconds). */
const SLICE_MS = 8;

/** Newest messages of transcripts that were counted whole. */
const counted = new WeakSet<Message>();

/** Would counting this conversation keep others waiting? */
export function isCountingLong({ conversation, messages }: Loaded): boolean {
  const newest = messages.at(-1);
  return conversation.tokens >= LONG_FROM_TOKENS && newest !== undefined && !counted.has(newest);
}

/**
 * Counts a long transcript piece by piece. The tokenizer remembers every text, so that the engine, which counts all of it
 * at once, is done in no time afterwards.
 */
export async function countAhead(parts: { readonly windows: Windows }, loaded: Loaded): Promise<void> {
  if (!isCountingLong(loaded)) return;
  const measure = await measureOf(parts, loaded.choice);
  let started = performance.now();
  for (const message of loaded.messages) {
    measure.message(message);
    if (performance.now() - started < SLICE_MS) continue;
    await breathe();
    started = performance.now();
  }
  const newest = loaded.messages.at(-1);
  if (newest) counted.add(newest);
}
