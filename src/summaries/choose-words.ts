import { shorten, type UserWords } from "./user-words.ts";

/** What `chooseWords` takes. */
export interface ChooseWordsInput {
  readonly words: readonly UserWords[];
  /** Estimated tokens for all of them. */
  readonly budget: number;
  /** Estimated tokens of a text. */
  readonly cost: (text: string) => number;
  /**
   * `work`: short requests around much tool output; all of them matter a little, the newest and the first most.
   * `talk`: the conversation itself is the content; whole messages, as many as possible.
   */
  readonly manner: "work" | "talk";
}

/** Lengths that a message may be shortened to, so that more of them fit (characters). */
const WORK_LENGTHS = [640, 480, 320, 200];
const TALK_LENGTHS = [4_000];
/** Rules come first, but not to the exclusion of everything else. */
const STANDING_SHARE = 0.6;
/** Pointer and line break beside the text (characters). */
const POINTER = "#1234 \n";

/** The words that get a place, each shortened if need be, in the order of their rank. */
export function chooseWords(input: ChooseWordsInput): UserWords[] {
  const lengths = input.manner === "work" ? WORK_LENGTHS : TALK_LENGTHS;
  const rank = input.manner === "work" ? byTime(input.words) : byLength(input.words);
  for (const length of lengths) {
    const { chosen, complete } = fill(rank, length, input);
    if (complete || length === lengths.at(-1)) return chosen;
  }
  return [];
}

function fill(
  rank: readonly UserWords[],
  length: number,
  { budget, cost }: ChooseWordsInput,
): { chosen: UserWords[]; complete: boolean } {
  const chosen: UserWords[] = [];
  let used = 0;
  let complete = true;
  const take = (item: UserWords, limit: number): boolean => {
    const text = shorten(item.text, length);
    const price = cost(text) + cost(POINTER);
    if (used + price > limit) return false;
    used += price;
    chosen.push({ ...item, text });
    return true;
  };
  const rest = rank.filter((item) => !(item.standing && take(item, budget * STANDING_SHARE)));
  for (const item of rest) if (!take(item, budget)) complete = false;
  return { chosen, complete };
}

/** The newest, then the first (it set the task), then backwards. */
function byTime(words: readonly UserWords[]): UserWords[] {
  const [first, ...later] = words;
  if (first === undefined) return [];
  const newest = later.pop();
  return [...(newest ? [newest] : []), first, ...later.reverse()];
}

/** Short messages first: most of what a person says per character. Equal lengths: newest first. */
function byLength(words: readonly UserWords[]): UserWords[] {
  return [...words].sort((a, b) => a.text.length - b.text.length || b.message - a.message);
}
