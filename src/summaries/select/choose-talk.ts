import { addTo, newestBy } from "../../core/collections.ts";
import { firstCharacters } from "../../core/first-characters.ts";
import { TermTable } from "../material/terms.ts";
import { QUESTION, sentencesOf } from "../text/sentences.ts";
import { select } from "./select.ts";

/** How rare terms are among messages; capital letters say nothing about that. */
export interface Rarity {
  terms(text: string): readonly number[];
  of(term: number): number;
  /** How rare a term is that only one message has. */
  readonly most: number;
}

export function rarityIn(texts: readonly string[]): Rarity {
  const table = new TermTable();
  const counts: number[] = [];
  const terms = (text: string): readonly number[] => table.scan(text.toLowerCase());
  for (const text of texts) {
    for (const term of terms(text)) counts[term] = (counts[term] ?? 0) + 1;
  }
  return {
    terms,
    of: (term) => Math.log(1 + texts.length / (counts[term] ?? 1)),
    most: Math.log(1 + texts.length),
  };
}

/** Where one asks and the other explains: above 1, of two texts that tell the same for their length, the shorter one. */
const ANSWER_EXPONENT = 1.8;
/** A term that was told before still counts this much. */
const ANSWER_KNOWN = 0.6;
const QUESTION_FACTOR = 0.6;

/**
 * Ordinals of texts, those that tell most for their length first: the sum of their terms' rarity, in any language. What was told
 * already, also by texts that were ranked before, counts less.
 */
export function richestFirst(
  rarity: Rarity,
  cost: (text: string) => number,
): (texts: readonly string[]) => number[] {
  const known = new Set<number>();
  return (texts) => {
    const terms = texts.map((text) => rarity.terms(text));
    const costs = texts.map((text) => Math.max(1, cost(text)) ** ANSWER_EXPONENT);
    return select([...texts.keys()], {
      worth(at) {
        let sum = 0;
        for (const term of terms[at]!) sum += rarity.of(term) * (known.has(term) ? ANSWER_KNOWN : 1);
        if (QUESTION.test(texts[at]!)) sum *= QUESTION_FACTOR;
        // What tells nothing comes last.
        return Math.max(Number.MIN_VALUE, sum / costs[at]!);
      },
      onTake(at) {
        for (const term of terms[at]!) known.add(term);
      },
    });
  };
}

/** Shorter messages are taken whole (characters). */
const MAX_START = 420;
const LOOKED_AT = 4 * MAX_START;
/** Sentences, not half ones: the cut goes back to the last end of one, but not further than this. */
const MIN_START = 200;
const SENTENCE_END = /[.!?:]\s|[。！？\n]/g;

/** The start of an answer, up to the end of a sentence; a short one whole. */
export function startOf(whole: string): string {
  // Blanks shrink to one, so a little more than the longest start is enough to look at.
  const text = whole
    .trimStart()
    .slice(0, LOOKED_AT)
    .trimEnd()
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n\s*/g, "\n");
  if (text.length <= MAX_START && whole.length <= LOOKED_AT) return text;
  let end = 0;
  for (const match of text.slice(0, MAX_START).matchAll(SENTENCE_END)) end = match.index + 1;
  if (end < MIN_START) end = Math.max(text.lastIndexOf(" ", MAX_START), MIN_START);
  return `${firstCharacters(text, end).trimEnd()} …`;
}

/** What one of two speakers said in one message. */
export interface Said {
  readonly message: number;
  readonly by: "user" | "assistant";
  readonly text: string;
  /** It sets a rule that holds until it is taken back. */
  readonly isRule: boolean;
}

export interface ChooseDialogueInput {
  /** In the order of time. */
  readonly said: readonly Said[];
  readonly rarity: Rarity;
  /** Estimated tokens for all of it. */
  readonly budget: number;
  readonly cost: (text: string) => number;
  /** The newest words: what they name counts more. */
  readonly newest: string;
}

/** Below 1: what says much at once before what says little with few words. */
const COST_EXPONENT = 0.8;
/** A term that was told before still counts this much. */
const KNOWN_FACTOR = 0.3;
/** A rule, and what the user said when the conversation began: it says what all of this is about. */
const RULE_FACTOR = 1.5;
const OPENING_FACTOR = 2.5;
/** Who was asked tells something. */
const REPLY_FACTOR = 1.5;
/** So many messages of the user are its beginning. */
const OPENING = 3;
/** What the newest words name counts this many times, at most. */
const NAMED_FACTOR = 3;
/** A sentence that tells less than this share of what the rarities words would tell is a phrase ("Wow, that's great!"). */
const PHRASE = 0.19;
const CHARACTERS_PER_WORD = 4;
/** A later message that says this share of a message's rare words again is about the same. */
const SAME_SUBJECT = 0.5;
/** Terms of more than this many messages don't tell what a message is about. */
const RARE = 4;
const POINTER = "#1234 \n";

/** What both speakers said, the most telling first, within the budget; phrases are left out. */
export function chooseDialogue(input: ChooseDialogueInput): Said[] {
  const { cost, budget, rarity } = input;
  // What was said word for word again is shown once, where it was said last.
  const said = newestBy(input.said, ({ by, text }) => `${by} ${text}`);
  const named = new Set(rarity.terms(input.newest));
  const opening = openingOf(said);
  const shown = said.map((one, at) =>
    opening.has(at) || one.isRule ? one.text : withoutPhrases(one.text, rarity),
  );
  const terms = shown.map((text) => rarity.terms(text));
  const prices = shown.map((text) => cost(text) + cost(POINTER));
  const asked = repliesIn(input.said);
  const known = new Set<number>();
  const worth = (one: Said, at: number): number => {
    if (shown[at] === "") return 0;
    let sum = 0;
    for (const term of terms[at]!) {
      const weight = rarity.of(term) ** 2 * (named.has(term) ? NAMED_FACTOR : 1);
      sum += known.has(term) ? KNOWN_FACTOR * weight : weight;
    }
    if (QUESTION.test(one.text)) sum *= QUESTION_FACTOR;
    else if (opening.has(at)) sum *= OPENING_FACTOR;
    if (one.isRule) sum *= RULE_FACTOR;
    if (asked.has(one.message)) sum *= REPLY_FACTOR;
    return sum / prices[at]! ** COST_EXPONENT;
  };
  const next = successors(said, terms, opening, rarity);
  const taken = new Set<number>();
  let used = 0;
  const takeOne = (at: number): boolean => {
    if (taken.has(at)) return true;
    if (used + prices[at]! > budget) return false;
    used += prices[at]!;
    taken.add(at);
    for (const term of terms[at]!) known.add(term);
    return true;
  };
  select(said, {
    worth,
    onTake(_, at) {
      // What was said later about the same may have changed it: both are shown, or the newer one.
      const later = next(at);
      if (later === undefined || takeOne(later)) takeOne(at);
    },
  });
  return [...taken].map((at) => ({ ...said[at]!, text: shown[at]! }));
}

/** Messages that follow a question of the other one. */
function repliesIn(said: readonly Said[]): ReadonlySet<number> {
  return new Set(
    said.flatMap((one, at) => {
      const before = said[at - 1];
      return before !== undefined && before.by !== one.by && /[?？؟]/.test(before.text) ? [one.message] : [];
    }),
  );
}

/** The user's first messages. */
function openingOf(said: readonly Said[]): ReadonlySet<number> {
  const users = said.flatMap(({ by }, at) => (by === "user" ? [at] : []));
  return new Set(users.slice(0, OPENING));
}

/** The text without sentences that tell next to nothing, and without questions beside statements. */
function withoutPhrases(text: string, rarity: Rarity): string {
  const kept = sentencesOf(text).filter((sentence) => {
    if (QUESTION.test(sentence)) return false;
    const rarities = rarity.terms(sentence).reduce((sum, term) => sum + rarity.of(term), 0);
    return rarities / (sentence.length / CHARACTERS_PER_WORD) >= PHRASE * rarity.most;
  });
  return kept.length > 0 ? kept.map((sentence) => sentence.trim()).join(" ") : "";
}

/**
 * For each message the one that may have changed what it says: a later one of the same speaker about the same, or, when the
 * conversation begins, the one that follows. A question changes nothing.
 */
function successors(
  said: readonly Said[],
  terms: readonly (readonly number[])[],
  opening: ReadonlySet<number>,
  rarity: Rarity,
): (at: number) => number | undefined {
  const places = new Map<number, number[]>();
  for (const [at, list] of terms.entries()) {
    for (const term of list) addTo(places, term, at);
  }
  const changes = (at: number, later: number): boolean =>
    later > at && said[later]!.by === said[at]!.by && !QUESTION.test(said[later]!.text);
  return (at) => {
    const rare = terms[at]!.filter((term) => places.get(term)!.length <= RARE);
    const total = rare.reduce((sum, term) => sum + rarity.of(term), 0);
    const again = new Map<number, number>();
    for (const term of rare)
      for (const later of places.get(term)!)
        if (changes(at, later)) again.set(later, (again.get(later) ?? 0) + rarity.of(term));
    const same = [...again].filter(([, sum]) => sum >= SAME_SUBJECT * total).map(([later]) => later);
    if (same.length > 0) return Math.max(...same);
    if (!opening.has(at)) return undefined;
    const after = said.findIndex((_, later) => opening.has(later) && changes(at, later));
    return after < 0 ? undefined : after;
  };
}
