import { describe, expect, it } from "vitest";
import type { LearnedValue } from "../../stores/server-store.ts";
import type { ContractContext } from "./context.ts";
import { DAY_MS } from "./samples.ts";

export function describeLearned(context: ContractContext): void {
  describe("learned values", () => {
    it("stand once by their names, the newest first, for 30 days", async () => {
      const { learned, upkeep } = context.store;
      const since = context.now;
      const value = (model: string, kind: string, number: number): LearnedValue => ({
        tenant: "",
        upstream: "there",
        model,
        kind,
        value: { number },
        at: ++context.now,
      });
      const window = value("m", "window", 1);
      const cache = value("m", "cache", 2);
      await learned.put([window, cache]);
      const newer = value("m", "window", 3);
      const other = value("other\u0000model", "window", 4);
      await learned.put([newer, other]);
      const found = await learned.list(since);
      expect(found).toEqual([{ ...other, model: "othermodel" }, newer, cache]);
      expect(await learned.list(cache.at)).toHaveLength(2);
      context.now += 30 * DAY_MS;
      await upkeep.sweep();
      expect(await learned.list(since)).toHaveLength(1);
      context.now += 1;
      await upkeep.sweep();
      expect(await learned.list(since)).toEqual([]);
    });
  });
}
