import { inputTokens, type PromptPiece } from "./prompt.ts";
import type { FakeApi, FakeCacheOptions, FakeTokens } from "./types.ts";

const MIN_TOKENS = 1_024;
const TTL_MS = 300_000;
/** How much longer an entry of `ttl: "1h"` lasts. */
const LONG_TTL_FACTOR = 12;
/** Anthropic looks for an earlier entry at most this many pieces before a breakpoint. */
const LOOKBACK = 20;
/** OpenAI's cache grows in steps of this many tokens. */
const STEP = 128;

/** What a prompt finds in the cache, and what it leaves there. */
export interface CacheUse extends FakeTokens {
  /** Of `cacheWrite`: what is kept for an hour. */
  readonly longWrite: number;
}

export interface PromptCache {
  /** Accounts for one prompt and remembers it. */
  use(api: FakeApi, model: string, pieces: readonly PromptPiece[]): CacheUse;
}

/** A beginning of prompts. Whole texts are the keys: to name each beginning by a hash was a tenth of a long test's work. */
interface Beginning {
  /** When the provider forgets it, by its clock; 0 for one that is only on the way to others. */
  until: number;
  /** By the text of the piece that follows. */
  readonly followedBy: Map<string, Beginning>;
}

/**
 * A provider's prompt cache. OpenAI: automatic, the longest common beginning with any earlier prompt of the same model.
 * Anthropic: entries only at `cache_control` breakpoints, found only from breakpoints.
 */
export function createPromptCache(options: FakeCacheOptions, now: () => number): PromptCache {
  const minTokens = options.minTokens ?? MIN_TOKENS;
  const ttlMs = options.ttlMs ?? TTL_MS;
  const byModel = { automatic: new Map<string, Beginning>(), marked: new Map<string, Beginning>() };

  const isAlive = (beginning: Beginning): boolean => beginning.until > now();
  const keep = (beginning: Beginning, factor = 1): void => {
    beginning.until = Math.max(beginning.until, now() + ttlMs * factor);
  };

  function automatic(model: string, pieces: readonly PromptPiece[]): CacheUse {
    const input = inputTokens(pieces);
    const root = beginningFor(byModel.automatic, model);
    let common = 0;
    let at = 0;
    let known = root;
    for (; at < pieces.length; at++) {
      const longer = known.followedBy.get(pieces[at]!.text);
      if (longer === undefined || !isAlive(longer)) break;
      common += pieces[at]!.tokens;
      known = longer;
    }
    const next = pieces[at];
    if (next !== undefined) {
      const alive = [...known.followedBy].filter(([, longer]) => isAlive(longer));
      const share = Math.max(0, ...alive.map(([text]) => sharedShare(text, next.text)));
      common += Math.floor(share * next.tokens);
    }
    for (const beginning of beginningsOf(pieces, root).slice(1)) keep(beginning);
    const rounded = Math.floor(common / STEP) * STEP;
    const cacheRead = rounded >= minTokens ? rounded : 0;
    return { input, cacheRead, cacheWrite: 0, longWrite: 0 };
  }

  function marked(model: string, pieces: readonly PromptPiece[]): CacheUse {
    const input = inputTokens(pieces);
    const beginnings = beginningsOf(pieces, beginningFor(byModel.marked, model));
    const ends = pieces.flatMap((piece, index) => (piece.breakpoint === undefined ? [] : [index + 1]));
    const lastEnd = ends.at(-1) ?? 0;
    const sizeAt = (end: number): number => inputTokens(pieces.slice(0, end));
    let found = 0;
    for (const end of ends)
      for (let at = end; at > Math.max(0, end - LOOKBACK); at--)
        if (at > found && isAlive(beginnings[at]!)) found = at;
    const cacheRead = sizeAt(found);
    if (found > 0) keep(beginnings[found]!);
    let cacheWrite = 0;
    let longWrite = 0;
    let from = found;
    for (const end of ends) {
      const isLong = pieces[end - 1]!.breakpoint === "long";
      if (sizeAt(end) < minTokens) continue;
      keep(beginnings[end]!, isLong ? LONG_TTL_FACTOR : 1);
      if (end <= from) continue;
      const added = sizeAt(end) - sizeAt(from);
      cacheWrite += added;
      if (isLong) longWrite += added;
      from = end;
    }
    return lastEnd === 0
      ? { input, cacheRead: 0, cacheWrite: 0, longWrite: 0 }
      : { input, cacheRead, cacheWrite, longWrite };
  }

  return {
    use: (api, model, pieces) => (api === "messages" ? marked(model, pieces) : automatic(model, pieces)),
  };
}

/** The beginnings of a prompt that the cache knows now: nothing, the first piece, the first two … */
function beginningsOf(pieces: readonly PromptPiece[], root: Beginning): Beginning[] {
  const beginnings = [root];
  for (const { text } of pieces) beginnings.push(beginningFor(beginnings.at(-1)!.followedBy, text));
  return beginnings;
}

function beginningFor(known: Map<string, Beginning>, text: string): Beginning {
  const found = known.get(text);
  if (found !== undefined) return found;
  const made: Beginning = { until: 0, followedBy: new Map() };
  known.set(text, made);
  return made;
}

/** How much of `text` is also the beginning of `other`. */
function sharedShare(other: string, text: string): number {
  const length = Math.min(other.length, text.length);
  let at = 0;
  while (at < length && other.charCodeAt(at) === text.charCodeAt(at)) at++;
  return text.length === 0 ? 0 : at / text.length;
}
