import { digest } from "./digest.ts";
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

/**
 * A provider's prompt cache. OpenAI: automatic, the longest common beginning with any earlier prompt of the same model.
 * Anthropic: entries only at `cache_control` breakpoints, found only from breakpoints.
 */
export function createPromptCache(options: FakeCacheOptions, now: () => number): PromptCache {
  const minTokens = options.minTokens ?? MIN_TOKENS;
  const ttlMs = options.ttlMs ?? TTL_MS;
  const entries = new Map<string, number>();
  /** What followed a beginning, for the share of a piece that is the same. */
  const followers = new Map<string, Map<string, number>>();

  const isAlive = (key: string): boolean => (entries.get(key) ?? 0) > now();
  const keep = (key: string, factor = 1): void => {
    entries.set(key, Math.max(entries.get(key) ?? 0, now() + ttlMs * factor));
  };

  function automatic(model: string, pieces: readonly PromptPiece[]): CacheUse {
    const input = inputTokens(pieces);
    const keys = chain(model, pieces);
    let common = 0;
    let at = 0;
    while (at < pieces.length && isAlive(keys[at + 1]!)) common += pieces[at++]!.tokens;
    const next = pieces[at];
    if (next !== undefined) {
      const alive = [...(followers.get(keys[at]!) ?? [])].filter(([, until]) => until > now());
      const share = Math.max(0, ...alive.map(([text]) => sharedShare(text, next.text)));
      common += Math.floor(share * next.tokens);
    }
    for (const [index, piece] of pieces.entries()) {
      keep(keys[index + 1]!);
      const known = followers.get(keys[index]!) ?? new Map<string, number>();
      followers.set(keys[index]!, known.set(piece.text, now() + ttlMs));
    }
    const rounded = Math.floor(common / STEP) * STEP;
    const cacheRead = rounded >= minTokens ? rounded : 0;
    return { input, cacheRead, cacheWrite: 0, longWrite: 0 };
  }

  function marked(model: string, pieces: readonly PromptPiece[]): CacheUse {
    const input = inputTokens(pieces);
    const keys = chain(model, pieces);
    const ends = pieces.flatMap((piece, index) => (piece.breakpoint === undefined ? [] : [index + 1]));
    const lastEnd = ends.at(-1) ?? 0;
    const sizeAt = (end: number): number => inputTokens(pieces.slice(0, end));
    let found = 0;
    for (const end of ends)
      for (let at = end; at > Math.max(0, end - LOOKBACK); at--)
        if (at > found && isAlive(keys[at]!)) found = at;
    const cacheRead = sizeAt(found);
    if (found > 0) keep(keys[found]!);
    let cacheWrite = 0;
    let longWrite = 0;
    let from = found;
    for (const end of ends) {
      const isLong = pieces[end - 1]!.breakpoint === "1h";
      if (sizeAt(end) < minTokens) continue;
      keep(keys[end]!, isLong ? LONG_TTL_FACTOR : 1);
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

/** Names of all beginnings of a prompt: nothing, the first piece, the first two … */
function chain(model: string, pieces: readonly PromptPiece[]): string[] {
  const keys = [digest(model)];
  for (const piece of pieces) keys.push(digest(keys.at(-1), piece.text));
  return keys;
}

/** How much of `text` is also the beginning of `other`. */
function sharedShare(other: string, text: string): number {
  const length = Math.min(other.length, text.length);
  let at = 0;
  while (at < length && other.charCodeAt(at) === text.charCodeAt(at)) at++;
  return text.length === 0 ? 0 : at / text.length;
}
