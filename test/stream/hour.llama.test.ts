/** An hour of video at two frames a second on the real llama.cpp, checked token by token after every step. */
import { describe, expect, test } from "vitest";
import type { LlamaCppCache } from "../../src/stream/caches/llama-cpp.ts";
import { createStreamSession } from "../../src/stream/create-stream-session.ts";
import { streamStrategies } from "../../src/stream/settings.ts";
import type { CacheItem, StreamSession, StreamStrategyName } from "../../src/stream/types.ts";
import { byProof } from "../support/proof.ts";
import { openTiny } from "./open-tiny.ts";

const FPS = 2;
/**
 * A few minutes on a small window hold as many managements as an hour on the usual one; strategies that manage often have
 * had `enough` of them sooner.
 */
const { seconds, window, tokensPerFrame, model, enough } = byProof({
  sample: {
    seconds: 300,
    window: 1_280,
    tokensPerFrame: 20,
    model: { layers: 1, dim: 32, heads: 2 },
    enough: 5,
  },
  more: { seconds: 1_800, window: 2_048, tokensPerFrame: 10, model: {}, enough: Number.POSITIVE_INFINITY },
  all: { seconds: 3_600, window: 4_096, tokensPerFrame: 10, model: {}, enough: Number.POSITIVE_INFINITY },
});
const GOAL = "I want to fit a new chain to my bike before 17:30.";
const SYSTEM = "You watch a repair and help.";
const KNOWLEDGE = "Task knowledge: 1. wheel off 2. chain off 3. new chain";
/** The tiny model has a token per letter, so everything that is said is kept short. */
const QUERY = { role: "user", text: "Sum up the progress so far." } as const;

describe.each(streamStrategies)("%s", (strategy) => {
  test(`${seconds / 60} minutes${Number.isFinite(enough) ? `, or ${enough} managements` : ""}`, async () => {
    const { cache, close } = await openTiny({ seed: 7, ...model }, { window });
    try {
      const watch = watched(cache);
      const session = createStreamSession({
        cache: watch.cache,
        window,
        strategy,
        systemPrompt: SYSTEM,
        knowledge: KNOWLEDGE,
        tokensPerFrame,
        separator: 1,
        fps: FPS,
        query: QUERY,
        summaryCap: 300,
        tail: 256,
        speak: { everySeconds: 60, cap: 48 },
      });
      await session.push({ type: "turn", role: "user", text: GOAL });
      checkTokens(session, cache);
      for (let frame = 1; frame <= seconds * FPS && session.trace.length < enough; frame++) {
        if (frame % 301 === 0)
          await session.push({ type: "turn", role: "user", text: `Is link ${frame} right?` });
        const before = session.trace.length;
        const { managed } = await session.push({ type: "frames" });
        checkTokens(session, cache);
        expect(session.trace.length).toBe(before + managed.length);
        const { head, action } = managed.at(-1) ?? {};
        if (head !== undefined && action === "restart") await checkHead(session, cache, head);
      }
      expect(watch.highest()).toBeLessThanOrEqual(window);
      checkTrace(session, strategy, cache);
    } finally {
      await close();
    }
  });
});

/** Within the limit, and to the token what the session says. */
function checkTokens(session: StreamSession, cache: LlamaCppCache): void {
  const { tokens, limit } = session.status();
  expect(tokens).toBeLessThanOrEqual(limit);
  const expected = session.contents().flatMap(({ item, from, to }) => encoded(cache, item).slice(from, to));
  const real = cache.tokens();
  expect(real.length).toBe(tokens);
  const wrong = real.findIndex((token, index) => token !== expected[index]);
  if (wrong >= 0 || expected.length !== real.length)
    throw new Error(`token ${wrong}: ${real[wrong]} in the cache, ${expected[wrong]} by the session`);
}

const known = new WeakMap<CacheItem, readonly number[]>();
function encoded(cache: LlamaCppCache, item: CacheItem): readonly number[] {
  let tokens = known.get(item);
  if (tokens === undefined) {
    tokens = cache.encode(item);
    known.set(item, tokens);
  }
  return tokens;
}

/** What was put in place of the cache is the beginning of the next input. */
async function checkHead(session: StreamSession, cache: LlamaCppCache, head: string): Promise<void> {
  // The cache was full after the step, or was emptied before it.
  if (cache.length === 0) await session.flush();
  const wanted = cache.encode({ type: "turn", role: "system", text: head, at: 0 });
  expect(cache.tokens().slice(0, wanted.length)).toEqual(wanted);
  checkTokens(session, cache);
}

function checkTrace(session: StreamSession, strategy: StreamStrategyName, cache: LlamaCppCache): void {
  const { trace } = session;
  expect(trace.length).toBeGreaterThanOrEqual(Math.min(10, enough));
  for (const entry of trace) {
    expect(entry.tokens.after).toBeLessThan(entry.tokens.before);
    expect(entry.warnings).toEqual([]);
    if (strategy === "drop-middle") {
      expect(entry.action).toBe("keep");
      continue;
    }
    expect(entry.head?.startsWith(`${SYSTEM} `)).toBe(true);
    expect(entry.head?.endsWith(KNOWLEDGE)).toBe(true);
    expect(entry.head?.split(SYSTEM)).toHaveLength(2);
    expect(entry.head?.split(KNOWLEDGE)).toHaveLength(2);
  }
  // The second and the tenth still know the first goal; `drop-all` never promised to.
  if (strategy === "drop-middle") {
    const goal = cache.encode({ type: "turn", role: "user", text: GOAL, at: 0 });
    expect(cache.tokens().join(" ")).toContain(goal.join(" "));
  } else if (strategy !== "drop-all") {
    for (const index of [0, 1, Math.min(9, trace.length - 1), trace.length - 1])
      expect(trace[index]?.head).toContain(GOAL);
  }
}

/** The cache, with a look at how full it ever was and a check that `keep` keeps exactly what it says. */
function watched(cache: LlamaCppCache): {
  readonly cache: LlamaCppCache;
  readonly highest: () => number;
} {
  let highest = 0;
  const see = <T>(result: T): T => {
    highest = Math.max(highest, cache.length);
    return result;
  };
  const seen: LlamaCppCache = {
    ...cache,
    get length() {
      return cache.length;
    },
    feed: async (items, signal) => see(await cache.feed(items, signal)),
    generate: async (request) => see(await cache.generate(request)),
    async keep(ranges) {
      const before = cache.tokens();
      const kept = await cache.keep(ranges);
      expect(cache.tokens()).toEqual(kept.flatMap(({ from, to }) => before.slice(from, to)));
      return kept;
    },
  };
  return { cache: seen, highest: () => highest };
}
