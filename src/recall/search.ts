import { refused } from "../core/check.ts";
import { defined } from "../core/collections.ts";
import type { CandidateSet, RankablePassage } from "./candidates.ts";
import { quoteEntry, quoteText } from "./passages.ts";
import { createPause } from "./pause.ts";
import { type Ranked, rank, readQuery } from "./rank.ts";
import type { ShownView, Visible } from "./visible-text.ts";
import { bestStretch, type Stretch, shown, stretchWithMost } from "./visible-text.ts";

/** Something that was found. */
export interface Hit {
  /** The message's place in the array that was handed in, from 0. `#n` in its text is one more. */
  readonly index: number;
  readonly score: number;
  /** The passage that fits best, quoted: `#13 fetch» …`. */
  readonly text: string;
  /** Of which conversation, where several are searched. */
  readonly conversation?: string;
  /** A later message that changed the file which this is about. */
  readonly changedIn?: number;
}

/** What `search` takes beside the query. */
export interface SearchOptions {
  /** Hits at most. Default 10. */
  readonly limit?: number;
  /** Tokens that the texts of all hits may take together. Default 2,000. */
  readonly tokens?: number;
  /** The query is a regular expression, matched line by line. */
  readonly regex?: boolean;
  readonly signal?: AbortSignal;
}

/** What `search` takes within precis. */
export interface OwnSearchOptions extends SearchOptions {
  /** What this view shows isn't found: it would take the room of what is hidden. */
  readonly view?: ShownView;
}

/** What `search` found, best first. */
export interface SearchResult {
  readonly hits: readonly Hit[];
  /** The pattern took too long, so that not everything was looked at. */
  readonly partial?: true;
}

/** Turns texts into vectors, for hosts that have an embedder. */
export type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;

/** A passage that was found, before it is quoted. */
export interface Found {
  /** Place in the candidates' `messages`. */
  readonly of: number;
  readonly score: number;
  readonly passage: RankablePassage;
}

const DEFAULT_LIMIT = 10;
const DEFAULT_TOKENS = 2_000;
/** So many of the best are compared by their meaning, and what that counts. */
const EMBEDDED = 50;
const MEANING_SHARE = 0.3;
/** Once nothing more has room, so many hits are tried: one that is short may follow, but not each of thousands is measured for that. */
export const MOST_TRIED = 20;
/** A hit that would be shorter than this isn't worth its pointer (tokens). */
export const LEAST_HIT = 12;

/** Searches candidates by words, or by a pattern. */
export async function searchCandidates(
  candidates: CandidateSet,
  query: string,
  options: OwnSearchOptions & {
    readonly count: (text: string) => number;
    readonly embed?: Embed | undefined;
    readonly changedAfter?: (index: number, part: number) => number | undefined;
    readonly visible?: Visible | undefined;
  },
): Promise<SearchResult> {
  options.signal?.throwIfAborted();
  if (options.regex) {
    const { found, partial } = matching(candidates, query, options.limit ?? DEFAULT_LIMIT);
    return { hits: quoted(candidates, found, new Set(), options), ...(partial && { partial }) };
  }
  const read = readQuery(query);
  const found = passagesFound(candidates, await rank(candidates, read, createPause(options.signal)));
  const ordered = options.embed ? await byMeaning(query, found, options.embed) : found;
  return { hits: quoted(candidates, ordered, new Set(read.terms), options) };
}

/** Every ranked message with its best passage, or with its first one if only its neighbours speak for it. */
export function passagesFound(candidates: CandidateSet, ranked: readonly Ranked[]): Found[] {
  const first = new Map<number, RankablePassage>();
  for (const passage of candidates.passages) if (!first.has(passage.of)) first.set(passage.of, passage);
  return ranked.flatMap(({ of, score, passage }) => {
    const best = passage === undefined ? first.get(of) : candidates.passages[passage];
    return best ? [{ of, score, passage: best }] : [];
  });
}

/** Longer patterns are refused (characters): to compile one can't be ended. */
const MAX_PATTERN = 256;
/** A search for a pattern is ended after this time: nothing else runs meanwhile (milliseconds). */
const PATTERN_MS = 100;

/** Passages with a line that matches, newest first: who looks for a pattern mostly wants its last state. */
function matching(
  candidates: CandidateSet,
  source: string,
  limit: number,
): { readonly found: Found[]; readonly partial: boolean } {
  const pattern = patternOf(source);
  const found: Found[] = [];
  const look = (): void => {
    const seen = new Set<number>();
    for (const passage of candidates.passages.toReversed()) {
      if (found.length >= limit) return;
      if (seen.has(passage.of) || !passage.text.split("\n").some((line) => pattern.test(line))) continue;
      seen.add(passage.of);
      found.push({ of: passage.of, score: 1, passage });
    }
  };
  return { found, partial: !endsInTime(look) };
}

const UNNEEDED_ESCAPE = /\\[^\w\s^$\\.*+?()[\]{}|/]/u;

function patternOf(source: string): RegExp {
  const fix = "Write a regular expression as JavaScript knows them, or search for words.";
  const unusable = (why: string) => refused("regex", `the pattern can't be used: ${why}.`, fix);
  if (source.length > MAX_PATTERN)
    throw unusable(`it has ${source.length} characters; ${MAX_PATTERN} are allowed`);
  try {
    // With `u` one character is one character, but escapes that aren't needed are refused.
    const pattern = new RegExp(source, UNNEEDED_ESCAPE.test(source) ? "i" : "iu");
    // It is compiled when it is first used.
    pattern.test("");
    return pattern;
  } catch (error) {
    throw unusable((error as Error).message.replace(/^Invalid regular expression: .*: /su, ""));
  }
}

/**
 * Does it come to its end by itself? A pattern of strangers can be made to run for years, and a server ends it. Where the runtime can't (a
 * browser, say), who asks waits for themselves alone.
 */
function endsInTime(work: () => void): boolean {
  const vm = globalThis.process?.getBuiltinModule?.("node:vm");
  if (vm === undefined) {
    work();
    return true;
  }
  try {
    vm.runInNewContext("work()", { work }, { timeout: PATTERN_MS });
    return true;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    // Some patterns use up the stack before the time.
    if (code === "ERR_SCRIPT_EXECUTION_TIMEOUT" || error instanceof RangeError) return false;
    throw error;
  }
}

/** The best by words, in an order that also their meaning decides. */
async function byMeaning(query: string, found: readonly Found[], embed: Embed): Promise<Found[]> {
  const head = found.slice(0, EMBEDDED);
  if (head.length < 2) return [...found];
  const [asked, ...vectors] = await embed([query, ...head.map(({ passage }) => passage.text)]);
  if (asked === undefined || vectors.length !== head.length) return [...found];
  const near = vectors.map((vector) => cosine(asked, vector));
  const [least, most] = [Math.min(...near), Math.max(...near)];
  const top = head[0]!.score;
  const mixed = head.map((one, at) => ({
    ...one,
    score:
      one.score * (1 - MEANING_SHARE) + top * MEANING_SHARE * ((near[at]! - least) / (most - least || 1)),
  }));
  return [...mixed.sort((a, b) => b.score - a.score), ...found.slice(EMBEDDED)];
}

function cosine(a: readonly number[], b: readonly number[]): number {
  let [dot, left, right] = [0, 0, 0];
  for (let at = 0; at < a.length; at++) {
    const [one, two] = [a[at]!, b[at] ?? 0];
    dot += one * two;
    left += one * one;
    right += two * two;
  }
  return left > 0 && right > 0 ? dot / Math.sqrt(left * right) : 0;
}

/**
 * What may be quoted of a passage; undefined if its message shows all of it. A hidden message is quoted also if a summary repeats it: who asks
 * for it must not be told that there is nothing.
 */
function hiddenStretch(
  index: number,
  passage: RankablePassage,
  terms: ReadonlySet<string>,
  visible: Visible | undefined,
): Stretch | undefined {
  if (!visible || visible.isHidden(index)) return { from: 0, to: passage.text.length };
  return stretchWithMost(passage.text, visible.unseen(index, passage), terms);
}

/** As many as the allowance takes, the last one shortened to what is asked for. */
function quoted(
  candidates: CandidateSet,
  found: readonly Found[],
  terms: ReadonlySet<string>,
  options: Parameters<typeof searchCandidates>[2],
): Hit[] {
  const { limit = DEFAULT_LIMIT, tokens = DEFAULT_TOKENS, count } = options;
  const hits: Hit[] = [];
  let left = tokens;
  let tried = 0;
  for (const { of, score, passage } of found) {
    if (hits.length >= limit || left < LEAST_HIT || tried >= MOST_TRIED) break;
    const { index, conversation } = candidates.messages[of]!;
    const hidden = hiddenStretch(index, passage, terms, options.visible);
    if (!hidden) continue;
    const changedIn = options.changedAfter?.(index, passage.part);
    const write = (text: string) => quoteText(quoteEntry(index, { ...passage, text }, changedIn));
    const part = passage.text.slice(hidden.from, hidden.to);
    const stretch = bestStretch(part, terms, (text) => count(write(text)) <= left);
    if (!stretch) {
      tried++;
      continue;
    }
    const place = { from: hidden.from + stretch.from, to: hidden.from + stretch.to };
    const text = write(shown(passage.text, place));
    left -= count(text);
    hits.push({
      index,
      score,
      text,
      ...defined({ conversation, changedIn }),
    });
  }
  return hits;
}
