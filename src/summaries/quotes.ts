import type { CitedSources } from "./cited-sources.ts";
import type { Outcome } from "./outcomes.ts";
import { withPlantMark } from "./plants.ts";
import type { SectionEntry } from "./sections.ts";
import type { UserWords } from "./user-words.ts";

/** Words of the assistant: what an answer says, or the plan that it keeps. */
export interface Answer {
  readonly message: number;
  readonly text: string;
}

/** What a summary message quotes before single lines fill it up, in the order of rank: the last ones leave first. */
export type Quote =
  | { readonly by: "user"; readonly words: UserWords }
  | { readonly by: "assistant"; readonly words: Answer }
  | { readonly by: "tool"; readonly words: Outcome };

/** Quotations by the section in which they stand, each in the order of time. */
export function quoteSections(
  quotes: readonly Quote[],
  sources: CitedSources,
): {
  readonly words: SectionEntry[];
  readonly answers: SectionEntry[];
  readonly outcomes: readonly { readonly message: number; readonly entry: SectionEntry }[];
} {
  const words: SectionEntry[] = [];
  const answers: SectionEntry[] = [];
  const outcomes: { message: number; entry: SectionEntry }[] = [];
  for (const quote of [...quotes].sort((a, b) => a.words.message - b.words.message)) {
    const { message, text } = quote.words;
    const head = `#${message + 1}`;
    if (quote.by === "tool")
      outcomes.push({ message, entry: { head: `${head} ${quote.words.tool}»`, text } });
    else if (quote.by === "user") words.push({ head, text: sources.inText(text, message) });
    else answers.push({ head, text: withPlantMark(sources.inText(text, message)) });
  }
  return { words, answers, outcomes };
}
