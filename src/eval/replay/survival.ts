import { readableText } from "../../core/message-text.ts";
import type { Message } from "../../core/types.ts";
import { missingItems, mustKeepOf } from "../../summaries/keep/must-keep.ts";

/** What of a conversation its last view still says. */
export interface Survival {
  /** Names, paths, numbers, citations and restrictions that matter, as precis itself measures it. */
  readonly items: number;
  /** So many of them stand in the view. */
  readonly kept: number;
}

/** Tokens of a summary that would have room for every item. */
const ROOMY = 1_000_000;

export function survivalOf(
  transcript: readonly Message[],
  view: readonly Message[],
  count: (text: string) => number,
): Survival {
  const items = mustKeepOf({
    messages: transcript,
    run: { from: 0, to: transcript.length },
    cap: ROOMY,
    count,
  });
  const missing = missingItems(view.map(readableText).join("\n"), items);
  return { items: items.length, kept: items.length - missing.length };
}
