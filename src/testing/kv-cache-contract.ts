import { describe, expect, it } from "vitest";
import type { CacheItem, FramesItem, KvCache, TurnItem } from "../stream/types.ts";

/** What `describeKvCache` takes. */
export interface KvCacheContract {
  readonly name: string;
  /** A new, empty cache that holds at least 2,000 tokens and answers when it is asked. */
  open(): Promise<KvCache>;
  /** It can cut inside an item (`exact`), or only keeps whole ones (`items`). Default `exact`. */
  readonly keeps?: "exact" | "items";
}

const turn = (role: TurnItem["role"], text: string): TurnItem => ({ type: "turn", role, text, at: 0 });
const frames = (count: number, joined = false): FramesItem => ({
  type: "frames",
  count,
  tokensPerFrame: 3,
  separator: 1,
  joined,
  at: 0,
  until: count / 2,
});
const ITEMS: readonly CacheItem[] = [
  turn("system", "You help with a repair."),
  turn("user", "How do I begin?"),
  turn("caption", "A bell rings."),
  frames(4),
  turn("assistant", "Take the wheel off."),
];
const CAP = 40;

/** The suite that every `KvCache` passes. */
export function describeKvCache({ name, open, keeps = "exact" }: KvCacheContract): void {
  const total = (cache: KvCache, items: readonly CacheItem[]): number =>
    items.reduce((sum, item) => sum + cache.count(item), 0);

  describe(`KV cache contract: ${name}`, () => {
    it("is empty at first and grows by what `count` says, one by one or all at once", async () => {
      const one = await open();
      expect(one.length).toBe(0);
      for (const item of ITEMS) {
        const before = one.length;
        await one.feed([item]);
        expect(one.length).toBe(before + one.count(item));
      }
      const all = await open();
      await all.feed(ITEMS);
      expect(all.length).toBe(one.length);
      await all.feed([]);
      expect(all.length).toBe(one.length);
    });

    it("counts frames × tokens per frame plus separators", async () => {
      const cache = await open();
      expect(cache.count(frames(4))).toBe(4 * 3 + 3);
      expect(cache.count(frames(4, true))).toBe(4 * 3 + 4);
    });

    it("answers with a turn that is in the cache as it is counted, within its cap", async () => {
      const cache = await open();
      await cache.feed(ITEMS);
      const before = cache.length;
      const generated = await cache.generate({ name: "test", cap: CAP, temperature: 0, at: 7 });
      if (generated.silent) throw new Error("an answer was wanted");
      expect(generated.item).toMatchObject({ type: "turn", role: "assistant", at: 7 });
      expect(cache.length).toBe(before + cache.count(generated.item));
      expect(cache.length).toBeLessThanOrEqual(before + CAP);
    });

    it("silence leaves it as it was", async () => {
      const cache = await open();
      await cache.feed(ITEMS);
      const before = cache.length;
      const generated = await cache.generate({ name: "test", cap: CAP, temperature: 0, at: 0, silence: 0 });
      if (generated.silent) expect(cache.length).toBe(before);
      else expect(cache.length).toBe(before + cache.count(generated.item));
    });

    it("a snapshot brings back what was there", async () => {
      const cache = await open();
      await cache.feed(ITEMS.slice(0, 2));
      const snapshot = await cache.snapshot();
      expect(snapshot.length).toBe(cache.length);
      await cache.feed(ITEMS.slice(2));
      await cache.restore(snapshot);
      expect(cache.length).toBe(snapshot.length);
      await cache.reset();
      await cache.restore(snapshot);
      expect(cache.length).toBe(snapshot.length);
      await cache.feed(ITEMS.slice(2));
      expect(cache.length).toBe(total(cache, ITEMS));
    });

    it("keeps ranges and goes on", async () => {
      const cache = await open();
      await cache.feed(ITEMS);
      const anchor = total(cache, ITEMS.slice(0, 2));
      const asked = [
        { from: 0, to: anchor },
        { from: cache.length - (keeps === "exact" ? 5 : cache.count(ITEMS.at(-1)!)), to: cache.length },
      ];
      const kept = await cache.keep(asked);
      expect(kept).toEqual(asked);
      expect(cache.length).toBe(kept.reduce((sum, { from, to }) => sum + to - from, 0));
      const before = cache.length;
      await cache.feed([frames(2)]);
      expect(cache.length).toBe(before + cache.count(frames(2)));
      expect((await cache.generate({ name: "test", cap: CAP, temperature: 0, at: 0 })).silent).toBe(false);
    });

    it("keeps nothing, and is reset", async () => {
      const cache = await open();
      await cache.feed(ITEMS);
      await cache.keep([]);
      expect(cache.length).toBe(0);
      await cache.feed(ITEMS);
      await cache.reset();
      expect(cache.length).toBe(0);
      await cache.feed(ITEMS);
      expect(cache.length).toBe(total(cache, ITEMS));
    });
  });
}
