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
