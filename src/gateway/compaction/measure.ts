import { setImmediate as breathe } from "node:timers/promises";
import type { Dialect, Measure, Message } from "../../core/types.ts";
import { createMeasure, exactCounter } from "../../tokens/index.ts";
import type { CompactorChoice } from "./compactors.ts";
import type { Windows } from "./windows.ts";

/** From here on reading and counting a request takes long enough for others to notice (bytes). */
const LONG_FROM_BYTES = 512 * 1024;
/** How long it may keep others waiting (milliseconds). */
const SLICE_MS = 8;
/** Characters of a text that are counted at once. */
const SLICE_CHARS = 65_536;

/** Counts messages as the compactor of a conversation does, before calibration. */
export async function measureOf(
  { windows }: { readonly windows: Windows },
  { upstream, model, tenant }: CompactorChoice,
): Promise<Measure> {
  const info = windows.of(upstream, model, tenant);
  return createMeasure({
    counter: await exactCounter(info.encoding),
    factor: info.factor,
    images: info.images,
  });
}

/**
 * Reads and counts a long transcript piece by piece. Ends when the client has gone: nobody needs what comes after. Undefined
 * for a request that isn't long.
 */
export function lookAhead(
  parts: { readonly windows: Windows },
  choice: CompactorChoice,
  {
    bytes,
    transcript,
    signal,
  }: { readonly bytes: number; readonly transcript: readonly unknown[]; readonly signal: AbortSignal },
): Promise<void> | undefined {
  if (bytes < LONG_FROM_BYTES) return undefined;
  return countInSlices(parts, choice, readable(choice.wire.dialect, transcript), { signal });
}

export interface CountOptions {
  readonly signal?: AbortSignal;
  /** Told now and then how many messages are counted. */
  readonly onProgress?: (messages: number) => void;
}

/**
 * Counts messages with a turn for others in between. What was read and counted is remembered, so that recorder and engine,
 * which go through all of it at once, have little left to do.
 */
export async function countInSlices(
  parts: { readonly windows: Windows },
  choice: CompactorChoice,
  messages: Iterable<Message>,
  { signal, onProgress }: CountOptions = {},
): Promise<void> {
  const measure = await measureOf(parts, choice);
  let started = performance.now();
  let counted = 0;
  const pause = async (): Promise<void> => {
    if (performance.now() - started < SLICE_MS) return;
    onProgress?.(counted);
    await breathe();
    signal?.throwIfAborted();
    started = performance.now();
  };
  for (const message of messages) {
    for (const text of longTexts(message))
      for (let at = 0; at < text.length; at += SLICE_CHARS) {
        measure.text(text.slice(at, at + SLICE_CHARS));
        await pause();
      }
    measure.message(message);
    counted += 1;
    await pause();
  }
}

/** What can't be read is for others to refuse, in words. */
function* readable(dialect: Dialect<unknown>, transcript: readonly unknown[]): Generator<Message> {
  for (const wire of transcript) {
    let message: Message;
    try {
      message = dialect.read(wire);
    } catch {
      continue;
    }
    yield message;
  }
}

function longTexts({ parts }: Message): string[] {
  return parts
    .map((part) => ("text" in part ? part.text : part.type === "tool-call" ? part.args : undefined))
    .filter((text): text is string => text !== undefined && text.length > SLICE_CHARS);
}
