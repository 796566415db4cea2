import type { StreamRole } from "../types.ts";

/** One sentence of a turn, with the words that it brings. */
export interface NoteLine {
  readonly role: StreamRole;
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

/** What was said in a stream, as the session remembers it. Frames are only counted. */
export interface Notes {
  add(role: StreamRole, text: string): void;
  /** The first words of the user, and the newest turn of a role. */
  readonly goal: string | undefined;
  last(role: StreamRole): string | undefined;
  readonly turns: { readonly all: number; readonly user: number };
  readonly lines: readonly NoteLine[];
  clear(): void;
}

/**
 * Sentences that are remembered: a whole day of talk, of which a summary holds a few dozen. Beyond that the least telling
 * ones are forgotten, so that neither memory nor the time of a management grows with the stream.
 */
const MAX_LINES = 2_000;
/** How many are left then, so that it happens seldom. */
const KEPT_LINES = 1_500;

export function createNotes(): Notes {
  let lines: NoteLine[] = [];
  let goal: string | undefined;
  let last = new Map<StreamRole, string>();
  let turns = { all: 0, user: 0 };
  return {
    add(role, text) {
      if (role === "system" || text.trim() === "") return;
      if (role === "user") goal ??= text.trim();
      last.set(role, text.trim());
      turns = { all: turns.all + 1, user: turns.user + (role === "user" ? 1 : 0) };
      for (const sentence of sentences(text)) lines.push({ role, text: sentence, words: wordsOf(sentence) });
      if (lines.length > MAX_LINES) lines = thinned(lines, KEPT_LINES);
    },
    get goal() {
      return goal;
    },
    last: (role) => last.get(role),
    get turns() {
      return turns;
    },
    get lines() {
      return lines;
    },
    clear() {
      lines = [];
      goal = undefined;
      last = new Map();
      turns = { all: 0, user: 0 };
    },
  };
}

/**
 * Leaves out what was said again later, then the lines with the fewest words that stand nowhere else: those of the user
 * last, the oldest first.
 */
export function thinned(lines: readonly NoteLine[], most: number): NoteLine[] {
  const newest = new Map(lines.map((line) => [line.text, line]));
  const left = lines.filter((line) => newest.get(line.text) === line);
  if (left.length <= most) return left;
  const uses = new Map<string, number>();
  for (const { words } of left) for (const word of words) uses.set(word, (uses.get(word) ?? 0) + 1);
  const worth = ({ role, words }: NoteLine): number =>
    [...words].filter((word) => uses.get(word) === 1).length + (role === "user" ? USER_WORTH : 0);
  const leaving = left
    .map((line, index) => ({ index, worth: worth(line) }))
    .sort((a, b) => a.worth - b.worth || a.index - b.index)
    .slice(0, left.length - most);
  const gone = new Set(leaving.map(({ index }) => index));
  return left.filter((_, index) => !gone.has(index));
}

/** What the user said counts like this many words that stand nowhere else. */
const USER_WORTH = 5;

/** Sentences, one line each. A dot inside a number or a name doesn't end one. */
export function sentences(text: string): string[] {
  return text
    .split(/(?<=[.!?…])\s+|(?<=[。！？])|\n+/u)
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/** Words in lower case; of scripts without blanks, pairs of characters. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}\p{M}]+(?:['’]\p{L}+)?/gu)) {
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word))
      for (let at = 0; at + 2 <= Math.max(2, word.length); at++) words.add(word.slice(at, at + 2));
    else words.add(word);
  }
  return words;
}
