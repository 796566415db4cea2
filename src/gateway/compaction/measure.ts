import type { Measure, Message } from "../../core/types.ts";
import { countLongTexts } from "../../tokens/count-steps.ts";
import { type SteppedCounter, steppedCounter } from "../../tokens/exact-counter.ts";
import { createMeasure } from "../../tokens/index.ts";
import type { CompactorChoice } from "./compactor-choice.ts";
import { createPace, type Pace } from "./pace.ts";
import type { Windows } from "./windows.ts";

/** Counts messages as the compactor of a conversation does. */
export async function measureOf(
  { windows }: { readonly windows: Windows },
  { upstream, model, tenant }: CompactorChoice,
): Promise<Measure & { readonly counter: SteppedCounter }> {
  const info = windows.of(upstream, model, tenant);
  const counter = await steppedCounter(info.encoding);
  const factor = windows.factor(upstream, model, tenant);
  return { ...createMeasure({ counter, factor, images: info.images }), counter };
}

export interface CountOptions {
  readonly signal?: AbortSignal;
  /** Told now and then how many messages are counted. */
  readonly onProgress?: (messages: number) => void;
}

/** Counts messages with turns for others in between; recorder and engine, which go through all at once, find it remembered. */
export async function countInSlices(
  parts: { readonly windows: Windows },
  choice: CompactorChoice,
  messages: Iterable<Message>,
  { signal, onProgress }: CountOptions = {},
): Promise<void> {
  const measure = await measureOf(parts, choice);
  let counted = 0;
  const pace = createPace({ ...(signal && { signal }), onPause: () => onProgress?.(counted) });
  for (const message of messages) {
    await countMessage(measure, message, pace);
    counted += 1;
  }
}

/** Counts a message, a long one in steps: whoever counts it again has its tokens at once. */
export async function countMessage(
  measure: Measure & { readonly counter: SteppedCounter },
  message: Message,
  pace: Pace,
  /** What holds its texts. */
  owner: object = message,
): Promise<void> {
  await pace.run(countLongTexts(measure, message, owner));
  measure.message(message);
  await pace.pause();
}
