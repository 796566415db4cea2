import { evenShare } from "../../core/collections.ts";
import { beginningAndEnd, shorten, type UserWords } from "../material/user-words.ts";

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
