import { setImmediate as breathe } from "node:timers/promises";
import type { Measure, Part } from "../../core/types.ts";
import type { CompactorChoice } from "./compactors.ts";
import { measureOf } from "./measure-of.ts";
import type { Windows } from "./windows.ts";

/** From here on reading and counting a request takes long enough for others to notice (bytes). */
const LONG_FROM_BYTES = 512 * 1024;
/** How long it may keep others waiting (milliseconds). */
const SLICE_MS = 8;
/** Characters of a text that are counted at once. */
const SLICE_CHARS = 65_536;

/**
 * Reads and counts a long transcript piece by piece, with a turn for others in between. What was read and counted is
 * remembered, so that recorder and engine, which go through all of it at once, have little left to do. Ends when the
 * client has gone: nobody needs what comes after. Undefined for a request that isn't long.
 */
export function lookAhead(
  parts: { readonly windows: Windows },
  choice: CompactorChoice,
  { bytes, ...rest }: Ahead & { readonly bytes: number },
): Promise<void> | undefined {
  return bytes < LONG_FROM_BYTES ? undefined : inSlices(parts, choice, rest);
}

interface Ahead {
  readonly transcript: readonly unknown[];
  readonly signal: AbortSignal;
}

async function inSlices(
  parts: { readonly windows: Windows },
  choice: CompactorChoice,
  { transcript, signal }: Ahead,
): Promise<void> {
  const measure = await measureOf(parts, choice);
  let started = performance.now();
  const pause = async (): Promise<void> => {
    if (performance.now() - started < SLICE_MS) return;
    await breathe();
    signal.throwIfAborted();
    started = performance.now();
  };
  for (const wire of transcript) {
    for (const text of longTexts(partsOf(choice, wire)))
      for (let at = 0; at < text.length; at += SLICE_CHARS) {
        measure.text(text.slice(at, at + SLICE_CHARS));
        await pause();
      }
    countWhole(measure, choice, wire);
    await pause();
  }
}

/** What can't be read is for others to refuse, in words. */
function partsOf({ wire: { dialect } }: CompactorChoice, wire: unknown): readonly Part[] {
  try {
    return dialect.read(wire).parts;
  } catch {
    return [];
  }
}

function countWhole(measure: Measure, { wire: { dialect } }: CompactorChoice, wire: unknown): void {
  try {
    measure.message(dialect.read(wire));
  } catch {
    // As above.
  }
}

function longTexts(parts: readonly Part[]): string[] {
  return parts
    .map((part) => ("text" in part ? part.text : part.type === "tool-call" ? part.args : undefined))
    .filter((text): text is string => text !== undefined && text.length > SLICE_CHARS);
}
