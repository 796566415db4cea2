import { type Outcome, outcomesOf } from "../calls/outcomes.ts";
import { estimateTokens } from "../material/estimate-tokens.ts";
import type { MessageMaterial } from "../material/message-material.ts";
import { userWords } from "../user-words.ts";
import { type Quote, textOf } from "../write/quotes.ts";
import { chooseQuotes } from "./choose-quotes.ts";
import { namedLines } from "./newest-terms.ts";
import { NEVER, recency } from "./recency.ts";
import { saidAlready } from "./said-already.ts";
import { salience } from "./salience.ts";
import { select } from "./select.ts";

/** Of what the user's words and statements leave: how commands ended, and what other agents reported. */
const OUTCOMES_SHARE = 0.15;
const REPORTS_SHARE = 0.25;
/** What the newest words name is shown before anything else is quoted, within this share of what is free. */
const ASKED_SHARE = 0.25;

/** How the oldest command ended counts this much of what it would count now. */
const OLDEST = 0.3;

/** What a summary message quotes before single lines fill it up. */
export interface MessageQuotes {
  readonly quotes: readonly Quote[];
  /** Estimated tokens of each quote. */
  readonly costs: readonly number[];
  /** Tokens that words and statements leave. */
  readonly left: number;
}

/** Chooses the quotes: the words of the user and the assistant, how commands ended. */
export function messageQuotes(material: MessageMaterial, free: number): MessageQuotes {
  const { input, messages, isHidden, transcript, narrative } = material;
  const { count } = input;
  const indexes = [...messages.keys()].filter(isHidden);
  const words = userWords(messages, indexes, input.isOurs);
  // People write words, tools write names and numbers, which take more tokens for the same length.
  const prose = estimateTokens(
    words.map(({ text }) => text),
    count,
  );
  const asked = askedTokens(material);
  // What the records say word for word isn't quoted beside them.
  const isTold = saidAlready(narrative.map(({ text }) => text));
  const said = chooseQuotes({
    ...material,
    indexes,
    words,
    toolShare: transcript.toolShare,
    cap: input.cap,
    free: free - Math.min(free * ASKED_SHARE, asked),
    isTold: narrative.length > 0,
    cost: prose,
    count,
    salience: salience(transcript),
  }).filter((quote) => !isTold(textOf(quote)));
  const spoken = estimateTokens(
    said.flatMap((quote) => (quote.by === "assistant" ? [textOf(quote)] : [])),
    count,
  );
  const costOf = (quote: Quote): number =>
    (quote.by === "assistant" ? spoken : prose)(`#1234 ${textOf(quote)}\n`);
  const left = free - said.reduce((sum, quote) => sum + costOf(quote), 0);
  const outcomes = endings(material, left);
  const quotes = [...said, ...outcomes];
  return { quotes, costs: quotes.map(costOf), left };
}

/** Tokens of the lines that show what the newest words name. */
function askedTokens({ named, candidates, transcript, lineCost }: MessageMaterial): number {
  return namedLines(named, candidates.lastLine).reduce(
    (sum, order) => sum + lineCost(transcript.lines[order]!),
    0,
  );
}

/** What other agents reported, and how commands ended. */
function endings({ messages, isHidden, cost, age }: MessageMaterial, left: number): Quote[] {
  const ended = outcomesOf(messages, isHidden);
  const chosen = [true, false].flatMap((isReport) =>
    chooseOutcomes({
      outcomes: ended.filter((outcome) => (outcome.isReport === true) === isReport),
      budget: left * (isReport ? REPORTS_SHARE : OUTCOMES_SHARE),
      cost,
      age,
    }),
  );
  return chosen.map((outcome) => ({ by: "tool", outcome }));
}

/** The outcomes that tell most for their length, in the order of their rank, within the budget (tokens). */
function chooseOutcomes(input: {
  readonly outcomes: readonly Outcome[];
  readonly budget: number;
  readonly cost: (text: string) => number;
  /** Characters of transcript behind a message. */
  readonly age: (message: number) => number;
}): Outcome[] {
  const worth = ({ message, factor }: Outcome): number =>
    factor * (1 - (1 - OLDEST) * Math.min(1, recency(input.age(message)) / NEVER));
  const said = new Set<string>();
  return select(input.outcomes, {
    worth,
    price: ({ tool, text }) => input.cost(`#1234 ${tool}» ${text}\n`),
    budget: input.budget,
    isWanted: ({ text }) => !said.has(text),
    onTake: ({ text }) => said.add(text),
  });
}
