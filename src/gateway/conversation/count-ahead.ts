import { setImmediate as breathe } from "node:timers/promises";
import type { Message } from "../../core/types.ts";
import { type CountOptions, countInSlices } from "../compaction/measure.ts";
import type { Windows } from "../compaction/windows.ts";
import type { Loaded } from "./loaded.ts";

/** From here on counting takes long enough for other requests to notice (tokens, roughly). */
const LONG_FROM_TOKENS = 50_000;

/** Newest messages of transcripts that were counted whole. */
const counted = new WeakSet<Message>();

/** A count that is under way: a page that opens asks for several things that need it. */
interface Counting {
  readonly done: Promise<void>;
  readonly leaving: AbortController;
  readonly watching: Set<(messages: number) => void>;
  waiting: number;
}

/** Counts under way, by the newest message of their transcripts. */
const underWay = new WeakMap<Message, Counting>();

/** Would counting this conversation keep others waiting? */
export function isCountingLong({ conversation, messages }: Loaded): boolean {
  const newest = messages.at(-1);
  return conversation.tokens >= LONG_FROM_TOKENS && newest !== undefined && !counted.has(newest);
}

/** Counts a long transcript piece by piece, so that the engine, which counts all of it at once, is done in no time. */
export async function countAhead(
  parts: { readonly windows: Windows },
  loaded: Loaded,
  options: CountOptions = {},
): Promise<void> {
  const newest = loaded.messages.at(-1);
  if (newest === undefined || !isCountingLong(loaded)) return;
  const { signal, onProgress } = options;
  signal?.throwIfAborted();
  const counting = underWay.get(newest) ?? begin(parts, loaded, newest);
  counting.waiting += 1;
  if (onProgress) counting.watching.add(onProgress);
  const leave = (): void => {
    signal?.removeEventListener("abort", leave);
    if (onProgress) counting.watching.delete(onProgress);
    counting.waiting -= 1;
    // It goes on for as long as anybody waits for it.
    if (counting.waiting === 0) counting.leaving.abort();
  };
  const left = new Promise<never>((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  signal?.addEventListener("abort", leave, { once: true });
  try {
    await Promise.race([counting.done, left]);
  } finally {
    if (!signal?.aborted) leave();
  }
}

/** The same for whoever goes on with work that keeps others waiting. Who only needed the counts goes first. */
export async function countAheadOfPlan(parts: { readonly windows: Windows }, loaded: Loaded): Promise<void> {
  if (!isCountingLong(loaded)) return;
  await countAhead(parts, loaded);
  await breathe();
}

function begin(parts: { readonly windows: Windows }, loaded: Loaded, newest: Message): Counting {
  const leaving = new AbortController();
  const watching = new Set<(messages: number) => void>();
  const count = async (): Promise<void> => {
    try {
      await countInSlices(parts, loaded.choice, loaded.messages, {
        signal: leaving.signal,
        onProgress: (messages) => {
          for (const watch of watching) watch(messages);
        },
      });
      counted.add(newest);
    } finally {
      underWay.delete(newest);
    }
  };
  const done = count();
  // Whoever waits gets the error; if nobody does any more, it is nobody's.
  done.catch(() => {});
  const counting: Counting = { done, leaving, watching, waiting: 0 };
  underWay.set(newest, counting);
  return counting;
}
