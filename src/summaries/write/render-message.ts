import { touchedFiles, unseenFiles } from "../ledger.ts";
import type { Line } from "../lines.ts";
import type { MessageMaterial } from "../material/message-material.ts";
import { isPlanted, markPlant } from "../plants.ts";
import type { ShownRecord } from "../render-narrative.ts";
import type { Sections } from "../sections.ts";
import { saidAlready } from "../select/said-already.ts";
import { commonRoot, fromRoot } from "./common-root.ts";
import { citedText, messageOf, type Quote, quoteSections } from "./quotes.ts";
import { renderLines } from "./render-lines.ts";

const LEDGER_SHARE = 0.05;

/** The sections of a summary message with these records and so many of its quotes and lines, and the sources of what they cite. */
export type MessageSections = (
  quoteCount: number,
  lineCount: number,
  narrative: readonly ShownRecord[],
) => Sections;

/** Writes quotes and lines as sections, and the ledgers of sources and files that go with them. */
export function messageSections(
  { input, messages, isHidden, transcript, cost, state, states, sources }: MessageMaterial,
  quotes: readonly Quote[],
  lines: readonly Line[],
): MessageSections {
  const inLine = quotes.map((quote) => lineThatSays(quote, lines));
  const touched = touchedFiles(messages);
  const files = touched.filter(({ message }) => isHidden(message));
  const root = commonRoot(touched.map(({ path }) => path));
  const isBelow = (text: string): boolean => fromRoot(text, root) !== text;
  const ledgerCap = input.cap * LEDGER_SHARE;
  const lineText = quotedLine(transcript.lines, ({ text, message, by }) =>
    typeof by === "string" ? sources.inText(text, message) : sources.inPassage(text, message),
  );
  return (quoteCount, lineCount, narrative) => {
    const said = quotes.filter((_, at) => at < quoteCount && inLine[at]! >= lineCount);
    const shown = lines.slice(0, lineCount);
    const { words, answers, outcomes } = quoteSections(said, sources);
    const below = outcomes.map(({ message, entry }) => ({
      message,
      entry: { ...entry, text: fromRoot(entry.text, root) },
    }));
    const linesShown = renderLines(shown, lineText, below, root);
    // A record names files by their paths within the project, too.
    const isUsed =
      root !== "" &&
      (narrative.length > 0 ||
        shown.some(({ kind, text, file }) => isBelow(kind === "call" ? text : kind === "body" ? file : "")) ||
        outcomes.some(({ entry }) => isBelow(entry.text)));
    const named = [...linesShown, ...words, ...answers].map(({ head, text }) => `${head} ${text}`).join("\n");
    return {
      narrative,
      words,
      answers,
      lines: linesShown,
      sources: sources.ledger([
        // In the numbers of the messages that they end with.
        ...narrative.map(({ text, covers }) => ({ text, message: covers.to - 1 })),
        ...said.map((quote) => ({ message: messageOf(quote), text: citedText(quote) })),
        ...shown,
      ]),
      files: unseenFiles(files, named, ledgerCap, cost, { root, isUsed }),
      states,
      state,
    };
  };
}

/** Which of these lines says all of a statement, and more: shown both, the statement would stand there twice. Infinity: none. */
function lineThatSays(quote: Quote, lines: readonly Line[]): number {
  if (quote.by !== "assistant") return Infinity;
  const { message, text, place } = quote.statement;
  // Without one of its points a list can't be read.
  if (place?.kind === "point") return Infinity;
  const at = lines.findIndex(
    (line) => line.message === message && line.kind === "assistant" && saidAlready([line.text])(text),
  );
  return at < 0 ? Infinity : at;
}

/**
 * Lines as a summary message quotes them: those that tell the model what to do carry a mark, unless a person or the host
 * wrote them. An instruction that is broken over two lines is found as well.
 */
function quotedLine(
  /** All lines of the transcript, by their ordinal. */
  lines: readonly Line[],
  textOf: (line: Line) => string,
): (line: Line) => string {
  const known = new Map<number, string>();
  return (line) => {
    const before = known.get(line.order);
    if (before !== undefined) return before;
    const text = textOf(line);
    const quoted = isMarked(line, lines) ? markPlant(text) : text;
    known.set(line.order, quoted);
    return quoted;
  };
}

function isMarked(line: Line, lines: readonly Line[]): boolean {
  if (line.by === "user" || line.by === "system") return false;
  const beside = (order: number): string | undefined =>
    lines[order]?.message === line.message ? lines[order].text : undefined;
  return isPlanted(line.text, beside(line.order - 1), beside(line.order + 1));
}
