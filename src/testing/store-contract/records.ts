import { describe, expect, it } from "vitest";
import {
  answers,
  type ContractContext,
  checkpoint,
  recalled,
  storedTranscript,
  summary,
  undo,
} from "./samples.ts";

export function describeRecords(context: ContractContext): void {
  const { tenants } = context;
  /** Records stand on messages. */
  const withMessages = async (tenant: string, ...hashes: readonly string[]) => {
    const messages = hashes.map((hash) => ({ ...storedTranscript("said")[0]!, hash }));
    await context.add(tenant, { messages });
    return context.store.records(tenant);
  };
  describe("records", () => {
    it("finds by hash what was saved, and nothing else", async () => {
      const [tenant] = tenants();
      const records = await withMessages(tenant, "a", "b");
      expect(await records.find(["a"])).toEqual({ checkpoints: [], summaries: [], undos: [], recalled: [] });
      await records.save({ checkpoints: [checkpoint("c1", "a"), checkpoint("c2", "b")] });
      await records.save({ summaries: [summary("s1", "a")], undos: [undo("c1")] });
      expect(await records.find(["a", "z"])).toEqual({
        checkpoints: [checkpoint("c1", "a")],
        summaries: [summary("s1", "a")],
        undos: [undo("c1")],
        recalled: [],
      });
      expect((await records.find(["b"])).undos).toEqual([]);
      expect(await records.find([])).toEqual({ checkpoints: [], summaries: [], undos: [], recalled: [] });
    });

    it("keeps the newest of what answers of a model took, under the first message", async () => {
      const [tenant, other] = tenants();
      const records = await withMessages(tenant, "a", "b");
      await records.save({ answers: [answers("a", "m", 1), answers("a", "n", 2), answers("b", "m", 3)] });
      await records.save({ answers: [answers("a", "m", 4)] });
      const found = (await records.find(["a", "b"])).answers ?? [];
      expect([...found].sort((one, two) => (one.model < two.model ? -1 : 1))).toEqual([
        answers("a", "m", 4),
        answers("a", "n", 2),
      ]);
      expect((await records.find(["z", "a"])).answers ?? []).toEqual([]);
      expect((await context.store.records(other).find(["a"])).answers ?? []).toEqual([]);
    });

    it("keeps what was recalled for a message, once for each checkpoint, and always says that it does", async () => {
      const [tenant, other] = tenants();
      const records = await withMessages(tenant, "a", "b");
      expect((await records.find(["a"])).recalled).toEqual([]);
      await records.save({ recalled: [recalled("a", "c"), recalled("a", "d"), recalled("b", "c")] });
      await records.save({ recalled: [recalled("a", "c", 5)] });
      const found = (await records.find(["a", "z"])).recalled ?? [];
      expect([...found].sort((one, two) => (one.checkpoint < two.checkpoint ? -1 : 1))).toEqual([
        recalled("a", "c", 5),
        recalled("a", "d"),
      ]);
      expect((await context.store.records(other).find(["a"])).recalled).toEqual([]);
    });

    it("looks up thousands of hashes at once", async () => {
      const [tenant] = tenants();
      const records = await withMessages(tenant, "n69999");
      await records.save({ summaries: [summary("s", "n69999")] });
      const hashes = Array.from({ length: 70_000 }, (_, i) => `n${i}`);
      expect((await records.find(hashes)).summaries).toHaveLength(1);
    });

    it("shows a tenant nothing of another, and lets none change another's", async () => {
      const [tenant, other] = tenants();
      for (const one of [tenant, other]) await withMessages(one, "a");
      await context.store
        .records(tenant)
        .save({ checkpoints: [checkpoint("c", "a")], summaries: [summary("s", "a", "mine")], undos: [] });
      expect(await context.store.records(other).find(["a"])).toEqual({
        checkpoints: [],
        summaries: [],
        undos: [],
        recalled: [],
      });
      await context.store
        .records(other)
        .save({ summaries: [summary("s", "a", "poison")], undos: [undo("c")] });
      const found = await context.store.records(tenant).find(["a"]);
      expect(found.summaries.map((one) => one.text)).toEqual(["mine"]);
      expect(found.undos).toEqual([]);
    });

    it("come before their messages while a request with these is under way, and no sooner", async () => {
      const [tenant, other] = tenants();
      const records = context.store.records(tenant);
      const early = { checkpoints: [checkpoint("c", "a")], recalled: [recalled("b", "c")] };
      await records.save(early);
      expect((await records.find(["a", "b"])).checkpoints).toEqual([]);
      const end = context.store.expect(tenant, ["a", "b"]);
      const endOther = context.store.expect(tenant, ["b"]);
      await records.save(early);
      await context.store.records(other).save(early);
      expect(await records.find(["a", "b"])).toMatchObject({
        checkpoints: [{ id: "c" }],
        recalled: [{ hash: "b" }],
      });
      expect((await context.store.records(other).find(["a", "b"])).checkpoints).toEqual([]);
      await withMessages(tenant, "a");
      end();
      end();
      // The other request is still under way.
      expect((await records.find(["a", "b"])).recalled).toHaveLength(1);
      endOther();
      expect(await records.find(["a", "b"])).toMatchObject({ checkpoints: [{ id: "c" }], recalled: [] });
    });

    it("is the engine's store itself", async () => {
      await context.store.save({ summaries: [summary("own", "own-hash")] });
      expect((await context.store.find(["own-hash"])).summaries).toHaveLength(1);
    });
  });
}
