import { evenShare } from "../../core/collections.ts";
import { saidText } from "../../core/message-text.ts";
import type { Message } from "../../core/types.ts";
import { type Outcome, outcomesOf } from "../calls/outcomes.ts";
import { refusedCalls } from "../calls/refusals.ts";
import { setsLastingRule } from "../keep/rules.ts";
import type { MessageMaterial } from "../material/message-material.ts";
import { type Statement, statementsOf } from "../material/statements.ts";
import { beginningAndEnd, shorten, type UserWords, userWords } from "../material/user-words.ts";
import type { Quote } from "../write/render-message.ts";
import { chooseStatements } from "./choose-statements.ts";
import { chooseDialogue, rarityIn, richestFirst, type Said, startOf } from "./choose-talk.ts";
import { NEVER, namedLines, recency, saidAlready, select } from "./select.ts";

/** What quotes are chosen from. */
interface QuoteInput extends MessageMaterial {
  /** Messages that are hidden, and what the user typed in them. */
  readonly indexes: readonly number[];
  readonly words: readonly UserWords[];
  /** Tokens that the frame, the narrative and the state leave. */
  readonly free: number;
}

/** Of the whole message, for the user's words where tools do all of the work … */
const WORDS_SHARE = 0.3;
/** … and where a little of the conversation is work, in talk. */
const TALK_WITH_TOOLS_SHARE = 0.25;
/** In a small message they come before anything else, up to so many tokens. */
const LEAST_WORDS = 40;
/** In a conversation without tools the user's words are the content, … */
const TALK_WORDS_SHARE = 0.9;
/** … and of what they leave this is for the points of answers; the rest is for single lines. */
const ANSWERS_SHARE = 0.9;
/** Above this share of calls and results a conversation is work with tools; down to zero it gradually becomes talk. */
const WORK_TOOL_SHARE = 0.9;
const TALK_TOOL_SHARE = 0.25;
/** In work, of the whole message: what users said when they refused calls, as results of tools. */
const REFUSALS_SHARE = 0.05;
/** In work, of what the user's words leave: statements of the assistant, fewer where a model has told the story. */
const STATEMENTS_SHARE = 0.7;
const SUMMARIZED_STATEMENTS_SHARE = 0.25;
/** Where the assistant's messages aren't longer than so many times the user's, two talk with each other. */
const DIALOGUE_RATIO = 2;
/** Where the user's messages are longer than so many times what was typed, hosts put passages beside the questions. */
const PASSAGES_RATIO = 2;
/** More is chosen than the estimate allows, because the exact count may leave room for it. */
const OVERCHOOSE = 1.1;

/** What a summary message quotes of the user and of the assistant, in the order of its rank. */
function chooseQuotes(input: QuoteInput): Quote[] {
  if (input.transcript.toolShare >= TALK_TOOL_SHARE) return work(input);
  const answers = answersOf(input);
  return isDialogue(input, answers) ? dialogue(input, answers) : talk(input, answers);
}

function work(input: QuoteInput): Quote[] {
  const words = userQuotes(input, "work");
  // The newest ones that fit.
  const refusals = select(refusedCalls(input.messages, input.indexes), {
    worth: ({ message }) => message + 1,
    price: ({ text }) => input.cost(`#1234 tool» ${text}\n`),
    budget: input.input.cap * REFUSALS_SHARE,
  });
  const quotes = [...byUser(words), ...byTool(refusals)];
  const statements = chooseStatements({
    ...input,
    statements: statementsOf(input.messages, input.indexes),
    budget: leftOf(input, quotes) * (isSummarized(input) ? SUMMARIZED_STATEMENTS_SHARE : STATEMENTS_SHARE),
  });
  return [...quotes, ...byAssistant(statements)];
}

const byUser = (all: readonly UserWords[]): Quote[] => all.map((one) => ({ by: "user", ...one }));
const byAssistant = (all: readonly Statement[]): Quote[] => all.map((one) => ({ by: "assistant", ...one }));
const byTool = (all: readonly Outcome[]): Quote[] => all.map((one) => ({ by: "tool", ...one }));

/** Estimated tokens of a quote with its pointer. */
function costOf({ cost }: Pick<MessageMaterial, "cost">, quote: Quote): number {
  return cost(`#1234 ${quote.text}\n`);
}

function leftOf(input: QuoteInput, quotes: readonly Quote[]): number {
  return input.free - quotes.reduce((sum, quote) => sum + costOf(input, quote), 0);
}

/** Has a model told the story? */
function isSummarized({ narrative }: MessageMaterial): boolean {
  return narrative.length > 0;
}

/** Somebody asks, and the assistant explains at length: how its answers begin, those first that tell most for their length. */
function talk(input: QuoteInput, answers: readonly Answer[]): Quote[] {
  const said = [...input.words.map(({ whole }) => whole), ...answers.map(({ text }) => text)];
  const byRichness = richestFirst(rarityIn(said), input.cost);
  const words = byUser(userQuotes(input, "talk", byRichness));
  const starts = answers.map(({ message, text }) => wholeStatement(message, startOf(text)));
  const ranked = byRichness(starts.map(({ text }) => text)).map((at) => starts[at]!);
  const chosen = select(ranked, {
    worth: (_, at) => ranked.length - at,
    price: ({ text }) => input.cost(`#1234 ${text}\n`),
    budget: leftOf(input, words) * ANSWERS_SHARE,
  });
  return [...words, ...byAssistant(chosen)];
}

/** What the assistant said in a message, as one statement. */
const wholeStatement = (message: number, text: string): Statement => ({
  message,
  text,
  lead: "",
  factor: 1,
  order: message,
});

/** Two talk with each other: what tells most, whoever said it. */
function dialogue(input: QuoteInput, answers: readonly Answer[]): Quote[] {
  const words = new Map(input.words.map((one) => [one.message, one]));
  const said = [
    ...input.words.map(({ message, whole, isRule }): Said => ({ message, by: "user", text: whole, isRule })),
    ...answers.map(
      ({ message, text }): Said => ({
        message,
        by: "assistant",
        text: startOf(text),
        isRule: setsLastingRule(text),
      }),
    ),
  ].sort((a, b) => a.message - b.message);
  const rarity = rarityIn(said.map(({ text }) => text));
  const chosen = chooseDialogue({ ...input, said, rarity, budget: input.free * OVERCHOOSE });
  return chosen.map(
    ({ message, by, text }): Quote =>
      by === "user" ? { by, ...words.get(message)!, text } : { by, ...wholeStatement(message, text) },
  );
}

function userQuotes(
  input: QuoteInput,
  manner: "work" | "talk",
  byRichness: (texts: readonly string[]) => number[] = () => [],
): UserWords[] {
  const { toolShare } = input.transcript;
  const budget = Math.max(input.input.cap * wordsShare(toolShare, manner), Math.min(input.free, LEAST_WORDS));
  return chooseWords({ ...input, byRichness, budget, manner });
}

function wordsShare(toolShare: number, manner: "work" | "talk"): number {
  const talking = Math.max(0, 1 - toolShare / WORK_TOOL_SHARE);
  const working = manner === "work" ? WORDS_SHARE : TALK_WITH_TOOLS_SHARE;
  return working + (TALK_WORDS_SHARE - working) * talking;
}

/** What the assistant said in words, by message. */
interface Answer {
  readonly message: number;
  readonly text: string;
}

function answersOf({ messages, indexes }: QuoteInput): Answer[] {
  return indexes.flatMap((message) => {
    if (messages[message]?.role !== "assistant") return [];
    const text = saidText(messages[message]).trim();
    return text === "" ? [] : [{ message, text }];
  });
}

/** Do two talk with each other? Otherwise one asks, with passages beside the question or not, and the other one explains. */
function isDialogue({ messages, words }: QuoteInput, answers: readonly { readonly text: string }[]): boolean {
  if (words.length === 0 || answers.length === 0) return false;
  const typed = words.reduce((sum, { text }) => sum + text.length, 0);
  const sent = words.reduce((sum, { message }) => sum + textLength(messages[message]!), 0);
  return sent <= PASSAGES_RATIO * typed && middle(answers) <= DIALOGUE_RATIO * middle(words);
}

function textLength({ parts }: Message): number {
  return parts.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
}

/** The median of the texts' lengths. */
function middle(texts: readonly { readonly text: string }[]): number {
  return texts.map(({ text }) => text.length).sort((a, b) => a - b)[texts.length >> 1] ?? 0;
}

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

/** Chooses the quotes: the words of the user and the assistant, what other agents reported, how commands ended. */
export function messageQuotes(material: MessageMaterial, free: number): MessageQuotes {
  const { input, messages, isHidden, narrative } = material;
  const indexes = [...messages.keys()].filter(isHidden);
  const words = userWords(messages, indexes, input.isOurs);
  // What the records say word for word isn't quoted beside them.
  const isSaid = saidAlready(narrative.map(({ text }) => text));
  const asked = Math.min(free * ASKED_SHARE, askedTokens(material));
  const said = chooseQuotes({ ...material, indexes, words, free: free - asked }).filter(
    (quote) => !isSaid(quote.text),
  );
  const left = leftOf({ ...material, indexes, words, free }, said);
  const ended = outcomesOf(messages, isHidden);
  const outcomes = [true, false].flatMap((isReport) =>
    chooseOutcomes({
      ...material,
      outcomes: ended.filter((outcome) => (outcome.isReport === true) === isReport),
      budget: left * (isReport ? REPORTS_SHARE : OUTCOMES_SHARE),
    }),
  );
  const quotes = [...said, ...byTool(outcomes)];
  return { quotes, costs: quotes.map((quote) => costOf(material, quote)), left };
}

/** Tokens of the lines that show what the newest words name. */
function askedTokens({ named, candidates, transcript, lineCost }: MessageMaterial): number {
  return namedLines(named, candidates.lastLine).reduce(
    (sum, order) => sum + lineCost(transcript.lines[order]!),
    0,
  );
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

export interface ChooseWordsInput {
  readonly words: readonly UserWords[];
  /** Estimated tokens for all of them. */
  readonly budget: number;
  /** Estimated tokens of a text. */
  readonly cost: (text: string) => number;
  /**
   * `work`: short requests around much tool output; all of them matter a little, the newest and the first most.
   * `talk`: the conversation itself is the content; whole messages, those that tell most for their length.
   */
  readonly manner: "work" | "talk";
  /** Ordinals of texts, in talk: those that tell most for their length first. */
  readonly byRichness: (texts: readonly string[]) => number[];
}

/** In work no message is shown at greater length, and none is shortened to less (characters). */
const WORK_LONG = 1_200;
const WORK_LEAST = 120;
/** In talk a message longer than this counts as pasted (characters). */
const TALK_WHOLE = 6_000;
/** In talk, below this length shortened messages don't tell most of what was said (characters). */
const TALK_LEAST = 450;
/** Then whole messages that tell most come first, and others shortened to this fill what is left (characters). */
const TALK_SHORT = 600;
/** Rules come first, but not to the exclusion of everything else. */
const RULES_SHARE = 0.6;
/** Pointer and line break beside the text. */
const POINTER = "#1234 \n";

/**
 * The words that get a place, in the order of their rank: all messages, the long ones shortened to one length, as long as that length
 * tells enough. Where it doesn't, some leave: rules never before others.
 */
export function chooseWords({ words, budget, cost, manner, byRichness }: ChooseWordsInput): UserWords[] {
  const isWork = manner === "work";
  const whole = (item: UserWords): string =>
    isWork || item.whole.length > TALK_WHOLE ? item.text : item.whole;
  const within = (item: UserWords, length: number): string =>
    isWork ? beginningAndEnd(item, length) : shorten(whole(item), length);
  const most = isWork ? WORK_LONG : Number.POSITIVE_INFINITY;
  const common = commonLength(words.map(whole), most, { budget, cost });
  if (common >= (isWork ? WORK_LEAST : TALK_LEAST))
    return byTime(words)
      .sort((a, b) => Number(b.isRule) - Number(a.isRule))
      .map((item) => ({ ...item, text: within(item, common) }));

  const chosen: UserWords[] = [];
  let left = budget;
  const take = (item: UserWords, text: string, least = 0): boolean => {
    const price = cost(text) + cost(POINTER);
    if (left - price < least) return false;
    left -= price;
    chosen.push({ ...item, text });
    return true;
  };
  const first = (item: UserWords): string => (isWork ? within(item, WORK_LEAST) : whole(item));
  const ranked = (items: readonly UserWords[]): readonly UserWords[] =>
    isWork ? byTime(items) : byRichness(items.map(whole)).map((at) => items[at]!);
  const rules = ranked(words.filter(({ isRule }) => isRule)).filter((item) =>
    take(item, first(item), budget * (1 - RULES_SHARE)),
  );
  const rest = ranked(words.filter((item) => !rules.includes(item)));
  const skipped = rest.filter((item) => !take(item, first(item)));
  if (!isWork) for (const item of skipped) take(item, shorten(item.text, TALK_SHORT));
  return chosen;
}

/** The largest length to which all texts can be shortened so that they fit (characters). */
function commonLength(
  texts: readonly string[],
  most: number,
  { budget, cost }: Pick<ChooseWordsInput, "budget" | "cost">,
): number {
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
  const lengths = texts.map(({ length }) => Math.min(length, most));
  const perCharacter = sum(texts.map(cost)) / Math.max(1, sum(texts.map(({ length }) => length)));
  const share = evenShare(lengths, (budget - texts.length * cost(POINTER)) / perCharacter);
  return Math.floor(Math.min(share, most));
}

/** The newest, then the first (it set the task), then backwards. */
function byTime(words: readonly UserWords[]): UserWords[] {
  const [first, ...later] = words;
  if (first === undefined) return [];
  const newest = later.pop();
  return [...(newest ? [newest] : []), first, ...later.reverse()];
}
