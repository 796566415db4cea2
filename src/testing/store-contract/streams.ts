import { describe, expect, it } from "vitest";
import type { ContractContext } from "./context.ts";

export function describeStreams(context: ContractContext): void {
  const { tenants } = context;
  describe("streams", () => {
    it("are the lines that were added, of one tenant alone", async () => {
      const [tenant, other] = tenants();
      const { add, list, read, remove } = context.store.streams;
      expect(await add(tenant, "s", 0, ["begin"])).toBe(true);
      expect(await add(tenant, "s", 1, ['{"text":"\\u0000"}', "two"])).toBe(true);
      expect(await read(tenant, "s", 0)).toEqual(["begin", '{"text":"\\u0000"}', "two"]);
      expect(await read(tenant, "s", 2)).toEqual(["two"]);
      expect(await read(other, "s", 0)).toEqual([]);
      expect(await add(other, "s", 3, ["stolen"])).toBe(false);
      expect(await remove(other, "s")).toBe(false);
      expect(await add(other, "s", 0, ["its own"])).toBe(true);
      expect(await remove(tenant, "s")).toBe(true);
      expect(await read(tenant, "s", 0)).toEqual([]);
      expect(await add(tenant, "s", 3, ["late"])).toBe(false);
      expect([await list(tenant), await list(other)]).toEqual([[], ["s"]]);
    });

    it("go on by one of many who add a line at once, and are read in parts", async () => {
      const [tenant] = tenants();
      const { add, read } = context.store.streams;
      const many = Array.from({ length: 1_500 }, (_, number) => `line ${number}`);
      expect(await add(tenant, "s", 0, many)).toBe(true);
      const all = await Promise.all(
        Array.from({ length: 8 }, (_, one) => add(tenant, "s", 1_500, [`from ${one}`])),
      );
      expect(all.filter((isNext) => isNext)).toHaveLength(1);
      expect(await read(tenant, "s", 0)).toEqual(many.slice(0, 100));
      expect(await read(tenant, "s", 0, 1)).toEqual(["line 0"]);
      expect(await read(tenant, "s", 1_450)).toEqual([
        ...many.slice(1_450),
        expect.stringMatching(/^from \d$/),
      ]);
    });

    it("are listed by their last use, and leave with conversations that are as old", async () => {
      const [tenant] = tenants();
      const { add, list } = context.store.streams;
      for (const stream of ["a", "b", "c"]) {
        context.now += 1_000;
        await add(tenant, stream, 0, ["begin"]);
      }
      context.now += 1_000;
      await add(tenant, "a", 1, ["more"]);
      expect(await list(tenant)).toEqual(["a", "c", "b"]);
      await context.store.upkeep.sweep({ tenant, conversationsMs: 1_500 });
      expect(await list(tenant)).toEqual(["a", "c"]);
    });
  });
}
