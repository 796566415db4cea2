import type { Outcome } from "../calls/outcomes.ts";
import type { CitedSources } from "../cited-sources.ts";
import type { Statement } from "../material/statements.ts";
import { withPlantMark } from "../plants.ts";
import type { SectionEntry } from "../sections.ts";
import type { UserWords } from "../user-words.ts";
import { statementEntries } from "./statement-entries.ts";

/** What a summary message quotes before single lines fill it up, in the order of rank: the last ones leave first. */
export type Quote =
  | { readonly by: "user"; readonly words: UserWords }
  | { readonly by: "assistant"; readonly statement: Statement }
  | { readonly by: "tool"; readonly outcome: Outcome };

/** The message that a quotation comes from. */
export function messageOf(quote: Quote): number {
  return quoted(quote).message;
}

/** All that a quotation shows, with the titles and the sentence that lead into it. */
export function citedText(quote: Quote): string {
  return quote.by === "assistant" ? `${quote.statement.lead}\n${quote.statement.text}` : textOf(quote);
}

export function textOf(quote: Quote): string {
  return quoted(quote).text;
}

function quoted(quote: Quote): { readonly message: number; readonly text: string } {
  if (quote.by === "user") return quote.words;
  return quote.by === "assistant" ? quote.statement : quote.outcome;
}

/** Quotations by the section in which they stand, each in the order of time. */
export function quoteSections(
  quotes: readonly Quote[],
  sources: CitedSources,
): {
  readonly words: SectionEntry[];
  readonly answers: SectionEntry[];
  readonly outcomes: readonly { readonly message: number; readonly entry: SectionEntry }[];
} {
  const ordered = [...quotes].sort((a, b) => messageOf(a) - messageOf(b));
  const said = (text: string, message: number): string => sources.inText(text, message);
  const leadOf = ({ lead, message }: Statement): string =>
    said(lead, message).split("\n").map(withPlantMark).join("\n");
  return {
    words: ordered.flatMap((quote) =>
      quote.by === "user"
        ? [{ head: `#${quote.words.message + 1}`, text: said(quote.words.text, quote.words.message) }]
        : [],
    ),
    answers: statementEntries(
      ordered.flatMap((quote) =>
        quote.by === "assistant" ? [{ ...quote.statement, lead: leadOf(quote.statement) }] : [],
      ),
      ({ text, message }) => withPlantMark(said(text, message)),
    ),
    outcomes: ordered.flatMap((quote) => {
      if (quote.by !== "tool") return [];
      const { message, tool, text } = quote.outcome;
      return [{ message, entry: { head: `#${message + 1} ${tool}»`, text } }];
    }),
  };
}
