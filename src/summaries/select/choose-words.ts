import { evenShare } from "../../core/even-share.ts";
import { beginningAndEnd, shorten, type UserWords } from "../material/user-words.ts";
import { bySalience, type Salience } from "./choose-answers.ts";

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
  readonly salience: Salience;
  /** Terms that were told before; the choice adds to them. */
  readonly known: Set<number>;
}

/** Lengths that a message may be shortened to, so that all of them fit (characters). */
const WORK_LENGTHS = [640, 480, 320, 240, 160, 120];
/** Where room is left, messages are shown up to this length, the most telling ones first (characters). */
const WORK_LONG = 1_200;
/** In talk a message longer than this counts as pasted (characters). */
const TALK_WHOLE = 6_000;
/**
 * In talk all messages are shown, the long ones shortened to one length, as long as that length still tells most of what
 * was said. Below it, whole messages that tell most come first, and shortened ones fill what is left (characters).
 */
const TALK_LEAST = 450;
const TALK_SHORT = 600;
/** Rules come first, but not to the exclusion of everything else. */
const RULES_SHARE = 0.6;
/** Pointer and line break beside the text. */
const POINTER = "#1234 \n";

/** The words that get a place, each shortened if need be, in the order of their rank. */
export function chooseWords(input: ChooseWordsInput): UserWords[] {
  return input.manner === "work" ? chooseForWork(input) : chooseForTalk(input);
}

function chooseForWork(input: ChooseWordsInput): UserWords[] {
  const rank = byTime(input.words);
  for (const length of WORK_LENGTHS) {
    const shelf = createShelf(input);
    const text = (item: UserWords): string => beginningAndEnd(item, length);
    const rest = rank.filter((item) => !(item.isRule && shelf.take(item, text(item), RULES_SHARE)));
    const left = rest.filter((item) => !shelf.take(item, text(item)));
    if (left.length > 0 && length !== WORK_LENGTHS.at(-1)) continue;
    for (const longer of [WORK_LENGTHS[0]!, WORK_LONG])
      for (const item of rank) shelf.lengthen(item, () => beginningAndEnd(item, longer));
    return shelf.chosen;
  }
  return [];
}

function chooseForTalk(input: ChooseWordsInput): UserWords[] {
  const text = (item: UserWords): string => (item.whole.length <= TALK_WHOLE ? item.whole : item.text);
  const length = commonLength(input, text);
  if (length !== undefined) {
    const rank = byTime(input.words);
    const ordered = [...rank.filter((item) => item.isRule), ...rank.filter((item) => !item.isRule)];
    return ordered.map((item) => ({ ...item, text: shorten(text(item), length) }));
  }
  const shelf = createShelf(input);
  function ranked(words: readonly UserWords[]): UserWords[] {
    return bySalience(words.map(text), input).map((at) => words[at]!);
  }
  const rules = ranked(input.words.filter((item) => item.isRule));
  const skipped = rules.filter((item) => !shelf.take(item, text(item), RULES_SHARE));
  const others = ranked([...input.words.filter((item) => !item.isRule), ...skipped]);
  const left = others.filter((item) => !shelf.take(item, text(item)));
  for (const item of left) shelf.take(item, shorten(item.text, TALK_SHORT));
  return shelf.chosen;
}

/** The largest length to which all texts can be shortened so that they fit; undefined if that is too short. */
function commonLength(
  { words, budget, cost }: ChooseWordsInput,
  text: (item: UserWords) => string,
): number | undefined {
  const all = words.map(text);
  const lengths = all.map(({ length }) => length);
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
  const perCharacter = sum(all.map(cost)) / Math.max(1, sum(lengths));
  const share = evenShare(lengths, (budget - words.length * cost(POINTER)) / perCharacter);
  if (share === Number.POSITIVE_INFINITY) return lengths.reduce((a, b) => Math.max(a, b), 0);
  return share < TALK_LEAST ? undefined : Math.floor(share);
}

interface Shelf {
  readonly chosen: UserWords[];
  /** Takes the words if they fit into `share` of the budget. */
  take(item: UserWords, text: string, share?: number): boolean;
  /** Shows words that were taken at greater length, if that fits. */
  lengthen(item: UserWords, text: () => string): void;
}

function createShelf({ budget, cost }: ChooseWordsInput): Shelf {
  const chosen: UserWords[] = [];
  const places = new Map<UserWords, number>();
  let used = 0;
  return {
    chosen,
    take(item, text, share = 1) {
      const price = cost(text) + cost(POINTER);
      if (used + price > budget * share) return false;
      used += price;
      places.set(item, chosen.length);
      chosen.push({ ...item, text });
      return true;
    },
    lengthen(item, text) {
      const place = places.get(item);
      if (place === undefined || chosen[place]!.text === item.text) return;
      const longer = text();
      const price = cost(longer) - cost(chosen[place]!.text);
      if (used + price > budget) return;
      used += price;
      chosen[place] = { ...item, text: longer };
    },
  };
}

/** The newest, then the first (it set the task), then backwards. */
function byTime(words: readonly UserWords[]): UserWords[] {
  const [first, ...later] = words;
  if (first === undefined) return [];
  const newest = later.pop();
  return [...(newest ? [newest] : []), first, ...later.reverse()];
}
