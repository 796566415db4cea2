import { describe, expect, it } from "vitest";
import type { ContractContext } from "./context.ts";
import { storedTranscript } from "./samples.ts";

export function describeCitations(context: ContractContext): void {
  const { tenants, add } = context;
  describe("citations", () => {
    it("gives each source a number that stays", async () => {
      const [tenant, other] = tenants();
      const { conversation } = await add(tenant, { messages: storedTranscript("a") });
      const long = `https://example.org/${"x".repeat(5_000)}`;
      const register = (...sources: string[]) =>
        context.store.citations.register(
          tenant,
          conversation,
          sources.map((source) => ({ source, title: `T ${source.length}` })),
        );
      expect((await register("a", long, "a")).map((one) => one.number)).toEqual([1, 2, 1]);
      expect((await register("c", "a")).map((one) => one.number)).toEqual([3, 1]);
      expect(await context.store.citations.list(tenant, conversation)).toEqual([
        { number: 1, source: "a", title: "T 1" },
        { number: 2, source: long, title: `T ${long.length}` },
        { number: 3, source: "c", title: "T 1" },
      ]);
      expect(await context.store.citations.list(other, conversation)).toEqual([]);
      await expect(context.store.citations.register(other, conversation, [])).rejects.toThrow(
        /no conversation/,
      );
    });

    it("gives a source the number that it goes by, unless another has it", async () => {
      const [tenant] = tenants();
      const { conversation } = await add(tenant, { messages: storedTranscript("a") });
      const register = (source: string, number: number) =>
        context.store.citations.register(tenant, conversation, [{ source, number }]);
      expect(await register("c", 3)).toEqual([{ number: 3, source: "c" }]);
      expect(await register("a", 1)).toEqual([{ number: 1, source: "a" }]);
      expect(await register("other", 1)).toEqual([{ number: 4, source: "other" }]);
      for (const number of [0, -2, 1.5, Number.NaN]) await register(`odd ${number}`, number);
      const listed = await context.store.citations.list(tenant, conversation);
      expect(listed.map((one) => one.number)).toEqual([1, 3, 4, 5, 6, 7, 8]);
    });

    it("never gives one number twice", async () => {
      const [tenant] = tenants();
      const { conversation } = await add(tenant, { messages: storedTranscript("a") });
      await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          context.store.citations.register(tenant, conversation, [{ source: `s${i % 6}` }]),
        ),
      );
      const numbers = (await context.store.citations.list(tenant, conversation)).map((one) => one.number);
      expect(numbers).toEqual([1, 2, 3, 4, 5, 6]);
    });
  });
}
