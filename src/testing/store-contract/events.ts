import { describe, expect, it } from "vitest";
import { StoreError } from "../../core/errors.ts";
import type { ContractContext } from "./context.ts";
import { storedTranscript } from "./samples.ts";

export function describeEvents(context: ContractContext): void {
  const { tenants, add } = context;
  describe("events", () => {
    it("numbers events upwards and goes on where a reader broke off", async () => {
      const [tenant, other] = tenants();
      const ids: number[] = [];
      for (const n of [1, 2, 3, 4])
        ids.push(
          await context.store.events.append(tenant, { type: "compacted", at: context.now, data: { n } }),
        );
      expect(ids).toEqual([1, 2, 3, 4]);
      const after = await context.store.events.list(tenant, { after: 2 });
      expect(after.map((event) => event.data)).toEqual([{ n: 3 }, { n: 4 }]);
      expect(after[0]).toEqual({
        id: 3,
        type: "compacted",
        conversation: undefined,
        at: context.now,
        data: { n: 3 },
      });
      expect(
        (await context.store.events.list(tenant, { newest: true, limit: 2 })).map((event) => event.id),
      ).toEqual([3, 4]);
      expect((await context.store.events.list(tenant, { limit: 2 })).map((event) => event.id)).toEqual([
        1, 2,
      ]);
      expect(
        (await context.store.events.list(tenant, { newest: true, before: 3, limit: 1 })).map(({ id }) => id),
      ).toEqual([2]);
      await context.store.events.append(tenant, { type: "other", at: context.now, data: {} });
      expect((await context.store.events.list(tenant, { type: "other" })).map((event) => event.type)).toEqual(
        ["other"],
      );
      expect(await context.store.events.list(other)).toEqual([]);
      expect(await context.store.events.append(other, { type: "x", at: context.now, data: null })).toBe(1);
      await expect(context.store.events.list(tenant, { after: Number.NaN })).rejects.toThrow(StoreError);
      await expect(context.store.events.list(tenant, { before: Number.NaN })).rejects.toThrow(StoreError);
    });

    it("lists those of one conversation", async () => {
      const [tenant, other] = tenants();
      const { conversation } = await add(tenant, { messages: storedTranscript("a") });
      await context.store.events.append(tenant, { type: "x", at: context.now, data: 1 });
      await context.store.events.append(tenant, { type: "y", conversation, at: context.now, data: 2 });
      expect((await context.store.events.list(tenant, { conversation })).map((event) => event.type)).toEqual([
        "y",
      ]);
      await expect(
        context.store.events.append(other, { type: "y", conversation, at: context.now, data: 2 }),
      ).rejects.toThrow(/no conversation/);
    });

    it("shows ids in their order, so that a reader misses none", async () => {
      const [tenant] = tenants();
      const total = 60;
      let writing = true;
      const seen: number[] = [];
      const reader = (async () => {
        while (seen.length < total) {
          const stop = !writing;
          for (const event of await context.store.events.list(tenant, { after: seen.at(-1) ?? 0 }))
            seen.push(event.id);
          if (stop) break;
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      await Promise.all(
        Array.from({ length: total }, (_, i) =>
          context.store.events.append(tenant, { type: "x", at: context.now, data: i }),
        ),
      );
      writing = false;
      await reader;
      expect(seen).toEqual(Array.from({ length: total }, (_, i) => i + 1));
    });
  });
}
