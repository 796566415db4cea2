import { runNow, type Steps } from "../core/steps.ts";
import type { HostState, Message, Run, ShareOptions } from "../core/types.ts";
import { abridgedSteps } from "./abridge.ts";
import { candidateLines } from "./candidates.ts";
import { chooseChanges } from "./choose-changes.ts";
import { chooseOutcomes } from "./choose-outcomes.ts";
import { chooseQuotes } from "./choose-quotes.ts";
import { citedSources } from "./cited-sources.ts";
import { commonRoot, fromRoot } from "./common-root.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { fillCap } from "./fill-cap.ts";
import { touchedFiles, unseenFiles } from "./ledger.ts";
import { type Line, type TranscriptLines, transcriptLines } from "./lines.ts";
import { newestPlan } from "./newest-plan.ts";
import { namedLines, newestTerms, newestWords } from "./newest-terms.ts";
import { outcomesOf } from "./outcomes.ts";
import type { IsOurs } from "./proof.ts";
import { quotedLine } from "./quoted-line.ts";
import { citedText, messageOf, type Quote, quoteSections, textOf } from "./quotes.ts";
import { plainStatement } from "./read-passage.ts";
import { renderNarrative, type Told } from "./render-narrative.ts";
import { renderState } from "./render-state.ts";
import { lineReuse } from "./reuse.ts";
import { saidAlready } from "./said-already.ts";
import { salience } from "./salience.ts";
import type { SectionEntry } from "./sections.ts";
import { userWordsSteps } from "./user-words.ts";
import { termWeights } from "./weights.ts";
import { renderLines, selectLines } from "./working-set.ts";
import { type MadeMessage, messageWriter, type WriterOptions } from "./write-message.ts";

export { isSummaryMessage } from "./markers.ts";

/** What the summary message is made from. */
export interface SummaryMessageInput extends WriterOptions {
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
  /** Shares of `cap` for the user's words and the ledger. Without a narrative the working set takes its share. */
  readonly shares?: ShareOptions;
  readonly hostState?: HostState;
  readonly focus?: string;
  /** Model-written segment summaries, oldest first. */
  readonly narrative?: readonly Told[];
  /** Tokens that they may take together. Default: half of `cap`. */
  readonly narrativeRoom?: number;
  /** Tokens that those of a model may take of it. Default: all. */
  readonly narrativeCap?: number;
  /** Which texts that look like summary messages are known to be ours. Left out: none. */
  readonly isOurs?: IsOurs;
}

const NARRATIVE_SHARE = 0.5;
const LEDGER_SHARE = 0.05;
/** Of what the user's words and statements leave: what was changed, and how commands ended; the rest is for single lines. */
const CHANGES_SHARE = 0.5;
const OUTCOMES_SHARE = 0.15;
const REPORTS_SHARE = 0.25;
/** What the newest words name is shown before anything else is quoted, within this share of what is free. */
const ASKED_SHARE = 0.25;
/** Below this nothing useful fits beside the frame (tokens). */
const MIN_CONTENT = 16;
/** More lines are chosen than the estimate allows, because the exact count may leave room for them. */
const OVERCHOOSE = 1.25;
/** Worth of a term that the focus names, in units of a path that is surely needed. */
const FOCUS_WORTH = 1;

/** The text of the summary message, or undefined when the cap is too small for anything useful. */
export function summaryMessage(input: SummaryMessageInput): MadeMessage | undefined {
  return runNow(summaryMessageSteps(input));
}

/** The same in steps: a long transcript takes a while. */
export function* summaryMessageSteps(input: SummaryMessageInput): Steps<MadeMessage | undefined> {
  const { cap, count } = input;
  const messages = yield* abridgedSteps(input.messages);
  const hidden = new Uint8Array(messages.length);
  for (const run of input.hidden) hidden.fill(1, Math.max(0, run.from), Math.max(0, run.to));
  const write = messageWriter(hidden, input);
  if (write({}).tokens + MIN_CONTENT > cap) return undefined;

  const transcript = yield* transcriptLines(messages);
  yield;
  const shownText = (index: number) => input.shownText?.(index);
  const { lines, covered, lastLine } = candidateLines(
    transcript,
    (index) => hidden[index] === 1,
    input.visible,
    shownText,
  );
  yield;
  const cost = estimateTokens(
    lines.map(({ text }) => text),
    count,
  );

  const costs = new Float64Array(transcript.lines.length);
  const lineCost = ({ text, order }: Line): number => (costs[order] ||= cost(text) + 1);

  const state = renderState(input.hostState, cap, count);
  const narrative = renderNarrative(input.narrative ?? [], {
    room: input.narrativeRoom ?? cap * NARRATIVE_SHARE,
    ...(input.narrativeCap !== undefined && { cap: input.narrativeCap }),
    count,
  });
  /** What the records cite must have its source, too: in the numbers of the messages that they end with. */
  const told = narrative.map(({ text, covers }) => ({ text, message: covers.to - 1 }));
  const sources = citedSources(messages, (index) =>
    hidden[index] === 1 || !input.visible(index)
      ? undefined
      : (shownText(index) ?? visibleText(messages[index])),
  );

  yield;
  const indexes = indexesOf(hidden);
  const words = (yield* userWordsSteps(messages, indexes, input.isOurs)).map((one) =>
    // What was pasted into a message isn't for the system prompt.
    input.quotesBeside ? { ...one, whole: one.text } : one,
  );
  yield;
  // People write words, tools write names and numbers, which take more tokens for the same length.
  const prose = estimateTokens(
    words.map(({ text }) => text),
    count,
  );
  const newest = newestWords(messages);
  const named = newestTerms(newest, transcript.table);
  const age = ageOf(transcript);
  const free = cap - write({ narrative, state }).tokens;
  const asked = Math.min(
    free * ASKED_SHARE,
    namedLines(named, lastLine).reduce((sum, order) => sum + lineCost(transcript.lines[order]!), 0),
  );
  yield;
  // What the records say word for word isn't quoted beside them.
  const isTold = saidAlready(narrative.map(({ text }) => text));
  const said = (yield* chooseQuotes({
    messages,
    indexes,
    words,
    toolShare: transcript.toolShare,
    cap,
    free: free - asked,
    wordsShare: input.shares?.words,
    isTold: narrative.length > 0,
    cost: prose,
    count,
    salience: salience(transcript),
    newest,
    age,
  })).filter((quote) => !isTold(textOf(quote)));
  yield;
  const spoken = estimateTokens(
    said.flatMap((quote) => (quote.by === "assistant" ? [textOf(quote)] : [])),
    count,
  );
  const quoteCost = (quote: Quote): number =>
    (quote.by === "assistant" ? spoken : prose)(`#1234 ${textOf(quote)}\n`);
  const left = free - said.reduce((sum, quote) => sum + quoteCost(quote), 0);
  const ended = outcomesOf(messages, (index) => hidden[index] === 1);
  const outcomes = [true, false].flatMap((isReport) =>
    chooseOutcomes({
      outcomes: ended.filter((outcome) => (outcome.isReport === true) === isReport),
      budget: left * (isReport ? REPORTS_SHARE : OUTCOMES_SHARE),
      cost,
      age,
    }),
  );
  yield;
  const plan = newestPlan(messages, (index) => hidden[index] === 1);
  const quotes: Quote[] = [
    ...(plan === undefined || isTold(plan.text) ? [] : [{ by: "assistant", statement: plan } as const]),
    ...said,
    ...outcomes.map((outcome): Quote => ({ by: "tool", outcome })),
  ];
  const quoted = new Map<number, string>();
  for (const quote of quotes)
    quoted.set(messageOf(quote), `${quoted.get(messageOf(quote)) ?? ""}${textOf(quote)}\n`);
  for (const quote of quotes) for (const term of transcript.table.scan(textOf(quote))) covered[term] = 1;

  yield;
  const weights = yield* termWeights(transcript);
  yield;
  for (const term of transcript.table.scan(input.focus ?? ""))
    if (term < weights.length) weights[term]! += FOCUS_WORTH;
  // A message that asks about a name doesn't show what stands behind it, nor does a statement that mentions it.
  for (const [term, worth] of named) {
    if (term >= weights.length) continue;
    weights[term]! += worth;
    covered[term] = 0;
  }
  const reuse = lineReuse(transcript);
  yield;
  const candidates = lines.filter((line) => !quoted.get(line.message)?.includes(plainLine(line)));
  const changes = chooseChanges({
    transcript,
    candidates,
    weights,
    covered,
    cost: lineCost,
    budget: left * CHANGES_SHARE,
  });
  yield;
  const isSaid = saidAlready([...narrative.map(({ text }) => text), ...quotes.map(textOf)]);
  const changed = new Set(changes.map(({ first }) => first));
  const more = yield* selectLines({
    candidates,
    weights,
    reuse,
    cites: (line) => line.kind === "assistant" && sources.cites(line.text, line.message),
    covered,
    lastLine,
    cost: lineCost,
    isSaid: (line) => changed.has(line.first) || isSaid(line.text),
    budget: cap * OVERCHOOSE,
  });
  const chosen = [...changes, ...more];
  const inLine = quotes.map((quote) => lineThatSays(quote, chosen));

  yield;
  const touched = touchedFiles(messages);
  const files = touched.filter(({ message }) => hidden[message] === 1);
  const root = commonRoot(touched.map(({ path }) => path));
  const ledgerCap = cap * (input.shares?.ledger ?? LEDGER_SHARE);
  const lineText = quotedLine(transcript.lines, (line) => sources.inRegistryNumbers(line.text, line.message));
  const rendering =
    (cited: typeof told) =>
    (quoteCount: number, lineCount: number): MadeMessage => {
      const said = quotes.filter((_, at) => at < quoteCount && inLine[at]! >= lineCount);
      const shown = chosen.slice(0, lineCount);
      const { words, answers, outcomes } = quoteSections(said, sources);
      const linesFrom = (folder: string): SectionEntry[] =>
        renderLines(
          shown,
          lineText,
          outcomes.map(({ message, entry }) => ({
            message,
            entry: { ...entry, text: fromRoot(entry.text, folder) },
          })),
          folder,
        );
      const linesShown = linesFrom(root);
      // A record names files by their paths within the project, too.
      const isUsed =
        root !== "" &&
        (narrative.length > 0 || linesFrom("").some(({ text }, at) => text !== linesShown[at]!.text));
      const named = [...linesShown, ...words, ...answers]
        .map(({ head, text }) => `${head} ${text}`)
        .join("\n");
      return write({
        narrative,
        words,
        answers,
        lines: linesShown,
        sources: sources.ledger([
          ...cited,
          ...said.map((quote) => ({ message: messageOf(quote), text: citedText(quote) })),
          ...shown,
        ]),
        files: unseenFiles(files, named, ledgerCap, cost, { root, isUsed }),
        state,
      });
    };
  const parts = {
    quoteCosts: quotes.map(quoteCost),
    chosen,
    lineCost,
    fixed: narrative.length > 0 || state.length > 0,
  };
  const withSources = fillCap(cap, { ...parts, render: rendering(told) });
  // In a very short message the sources of what records cite would leave no room for the records themselves.
  return withSources ?? (told.length === 0 ? undefined : fillCap(cap, { ...parts, render: rendering([]) }));
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

/** A line as a quotation of its message would show it. */
function plainLine({ kind, text }: Line): string {
  return kind === "assistant" ? plainStatement(text) : text;
}

/** Characters of transcript behind a message, told by its newest line. */
function ageOf({ lines, length }: TranscriptLines): (message: number) => number {
  const last = new Map<number, number>();
  for (const { message, position } of lines) last.set(message, position);
  return (message) => length - (last.get(message) ?? 0);
}

function indexesOf(hidden: Uint8Array): number[] {
  const indexes: number[] = [];
  hidden.forEach((flag, index) => {
    if (flag === 1) indexes.push(index);
  });
  return indexes;
}

function visibleText(message: Message | undefined): string {
  const texts = (message?.parts ?? []).map((part) =>
    part.type === "text" || part.type === "tool-result"
      ? part.text
      : part.type === "tool-call"
        ? part.args
        : "",
  );
  return texts.join("\n");
}
