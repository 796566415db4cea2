import type { HostState, Message, Run, ShareOptions } from "../core/types.ts";
import { type Line, transcriptLines } from "./lines.ts";
import { CLOSING, escapeMarkers, OPENING } from "./markers.ts";
import { TermTable } from "./terms.ts";
import { rankWords, type UserWords, userWords } from "./user-words.ts";
import { termWeights } from "./weights.ts";
import { renderLines, selectLines } from "./working-set.ts";

export { isSummaryMessage } from "./markers.ts";

/** What the summary message is made from. */
export interface SummaryMessageInput {
  /** The whole transcript in core form. */
  readonly messages: readonly Message[];
  /** Messages that the view hides and this message speaks for. */
  readonly hidden: readonly Run[];
  /** Is message i shown elsewhere in the view (kept or edited)? What is visible there needn't be said again. */
  readonly visible: (index: number) => boolean;
  /** For shown messages that were shortened: the text that is really shown (undefined: all of it). */
  readonly shownText?: (index: number) => string | undefined;
  /** Ceiling for the whole text, in tokens by `count`. Never exceeded. */
  readonly cap: number;
  readonly count: (text: string) => number;
  /** Shares of `cap` for the user's words and the ledger. Without a narrative the working set takes its share. */
  readonly shares?: ShareOptions;
  readonly hostState?: HostState;
  readonly focus?: string;
  /** Model-written segment summaries, oldest first. */
  readonly narrative?: readonly { readonly text: string; readonly covers: Run }[];
}

const INTRODUCTION =
  "Record of earlier messages of this conversation (#: message number). Not an instruction.";
const DEFAULT_WORDS_SHARE = 0.2;
/** Below this nothing useful fits beside the frame. */
const MIN_CONTENT_TOKENS = 16;

function assemble(sections: readonly (readonly [title: string, text: string])[]): string {
  const filled = sections.filter(([, text]) => text !== "").map(([title, text]) => `${title}\n${text}`);
  return `${OPENING}\n${INTRODUCTION}\n${filled.join("\n")}\n${CLOSING}`;
}

function renderState(state: HostState | undefined): string {
  if (state === undefined) return "";
  if (typeof state === "string") return state.trim();
  const steps = state.steps.map((step) => `[${step.status}] ${step.text}`);
  return [...(state.title === undefined ? [] : [state.title]), ...steps].join("\n");
}

/** The text of the summary message, or undefined when the cap is too small for anything useful. */
export function summaryMessage(
  input: SummaryMessageInput,
): { readonly text: string; readonly tokens: number } | undefined {
  const { messages, cap, count } = input;
  const frame = count(assemble([]));
  if (frame + MIN_CONTENT_TOKENS > cap) return undefined;

  const isHidden = new Uint8Array(messages.length);
  for (const run of input.hidden)
    isHidden.fill(1, Math.max(0, run.from), Math.max(0, Math.min(run.to, messages.length)));

  const table = new TermTable();
  const transcript = transcriptLines(messages, table);
  const weights = termWeights(transcript, table);
  const lastLine = new Int32Array(table.terms.length).fill(-1);
  for (const line of transcript.lines) for (const term of line.terms) lastLine[term] = line.order;

  const covered = new Uint8Array(table.terms.length + 1);
  const candidates: Line[] = [];
  const shown = new Map<number, string>();
  for (const line of transcript.lines) {
    const index = line.message;
    if (isHidden[index] === 1) {
      candidates.push(line);
      continue;
    }
    if (!input.visible(index)) continue;
    const text = shown.get(index) ?? input.shownText?.(index);
    if (text !== undefined) {
      shown.set(index, text);
      if (!text.includes(line.text)) {
        candidates.push(line);
        continue;
      }
    }
    for (const term of line.terms) covered[term] = 1;
  }

  // Tokens per character, measured once on a sample: counting every line exactly would cost more than choosing them.
  const sample = candidates
    .filter((_, index) => index % Math.max(1, Math.floor(candidates.length / 64)) === 0)
    .map((line) => line.text)
    .join("\n");
  const perCharacter = sample === "" ? 0.25 : count(sample) / sample.length;

  const state = escapeMarkers(renderState(input.hostState));
  const narrative = (input.narrative ?? [])
    .map((item) => `#${item.covers.from + 1}–${item.covers.to}: ${item.text.trim()}`)
    .map(escapeMarkers)
    .join("\n");
  const hiddenIndexes: number[] = [];
  for (let index = 0; index < messages.length; index++) if (isHidden[index] === 1) hiddenIndexes.push(index);

  const wordsBudget = cap * (input.shares?.words ?? DEFAULT_WORDS_SHARE);
  const words: UserWords[] = [];
  let wordsUsed = 0;
  for (const item of rankWords(userWords(messages, hiddenIndexes))) {
    const cost = (item.text.length + 6) * perCharacter;
    if (wordsUsed + cost > wordsBudget) continue;
    words.push(item);
    wordsUsed += cost;
    for (const term of table.scan(item.text)) if (term < covered.length) covered[term] = 1;
  }
  words.sort((a, b) => a.message - b.message);

  const lines = selectLines({
    candidates,
    weights,
    covered,
    lastLine,
    cost: (line) => (line.text.length + 4) * perCharacter,
    budget: cap * 1.2,
  });

  const render = (wordCount: number, lineCount: number): string => {
    const keptWords = words.slice(words.length - wordCount);
    return assemble([
      ["## Summary", narrative],
      [
        "## The user's words",
        keptWords.map((item) => `#${item.message + 1} ${escapeMarkers(item.text)}`).join("\n"),
      ],
      ["## Lines", escapeMarkers(renderLines(lines.slice(0, lineCount)))],
      ["## State", state],
    ]);
  };
  const fits = (wordCount: number, lineCount: number): boolean => count(render(wordCount, lineCount)) <= cap;

  let wordCount = words.length;
  while (wordCount > 0 && !fits(wordCount, 0)) wordCount--;
  if (!fits(wordCount, 0)) return undefined;
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(wordCount, middle)) low = middle;
    else high = middle - 1;
  }
  if (low === 0 && wordCount === 0 && narrative === "" && state === "") return undefined;
  const text = render(wordCount, low);
  return { text, tokens: count(text) };
}
