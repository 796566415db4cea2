import type { Steps } from "../core/steps.ts";
import { touchedFiles, unseenFiles } from "./ledger.ts";
import type { Line } from "./lines.ts";
import type { MessageMaterial } from "./message-material.ts";
import { isPlanted, markPlant } from "./plants.ts";
import { type Quote, quoteSections } from "./quotes.ts";
import type { ShownRecord } from "./render-narrative.ts";
import type { Sections } from "./sections.ts";
import { renderLines } from "./working-set.ts";

const LEDGER_SHARE = 0.05;

/** The sections of a summary message with these records and so many of its quotes and lines, and the sources of what they cite. */
export type MessageSections = (
  quoteCount: number,
  lineCount: number,
  narrative: readonly ShownRecord[],
) => Sections;

/** Writes quotes and lines as sections, and the ledgers of sources and files that go with them. */
export function* messageSections(
  { input, messages, isHidden, transcript, cost, state, sources }: MessageMaterial,
  quotes: readonly Quote[],
  lines: readonly Line[],
): Steps<MessageSections> {
  const files = touchedFiles(messages).filter(({ message }) => isHidden(message));
  yield;
  const ledgerCap = input.cap * LEDGER_SHARE;
  const lineText = quotedLine(transcript.lines, ({ text, message, by }) =>
    typeof by === "string" ? sources.inText(text, message) : sources.inPassage(text, message),
  );
  return (quoteCount, lineCount, narrative) => {
    const said = quotes.slice(0, quoteCount);
    const shown = lines.slice(0, lineCount);
    const { words, answers, outcomes } = quoteSections(said, sources);
    const linesShown = renderLines(shown, lineText, outcomes);
    const named = [...linesShown, ...words, ...answers].map(({ head, text }) => `${head} ${text}`).join("\n");
    return {
      narrative,
      words,
      answers,
      lines: linesShown,
      sources: sources.ledger([
        // In the numbers of the messages that they end with.
        ...narrative.map(({ text, covers }) => ({ text, message: covers.to - 1 })),
        ...said.map(({ words: { message, text } }) => ({ message, text })),
        ...shown,
      ]),
      files: unseenFiles(files, named, ledgerCap, cost),
      state,
    };
  };
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
