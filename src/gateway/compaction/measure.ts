import type { Measure, Message, Part } from "../../core/types.ts";
import { type SteppedCounter, steppedCounter } from "../../tokens/exact-counter.ts";
import { createMeasure } from "../../tokens/index.ts";
import type { CompactorChoice } from "./compactor-choice.ts";
import { createPace, type Pace } from "./pace.ts";
import type { Windows } from "./windows.ts";

/** Longer texts are counted in steps (characters). */
const LONG_TEXT_CHARS = 32_768;

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
  for (const text of longTexts(message)) await pace.run(measure.counter.countFor(owner, text));
  measure.message(message);
  await pace.pause();
}

function longTexts({ parts }: Message): string[] {
  return parts
    .map(countedText)
    .filter((text) => text !== undefined && text.length > LONG_TEXT_CHARS) as string[];
}

/** What of a part is counted as a text. */
function countedText(part: Part): string | undefined {
  switch (part.type) {
    case "tool-call":
      return part.args;
    case "other":
      return part.json;
    case "image":
    case "frame":
      return undefined;
    default:
      return part.text;
  }
}
