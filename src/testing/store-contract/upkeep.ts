import { describe, expect, it } from "vitest";
import { SCHEMA_VERSION } from "../../stores/sql/schema.ts";
import { type ContractContext, checkpoint, DAY_MS, storedTranscript, summary, undo } from "./samples.ts";

export function describeUpkeep(context: ContractContext): void {
  const { tenants, add } = context;
  describe("upkeep", () => {
    it("knows whose conversations had a message since", async () => {
      const [tenant, other] = tenants();
      context.now += 30 * DAY_MS;
      await add(other, { messages: storedTranscript("before") });
      const since = ++context.now;
      expect(await context.store.upkeep.activeTenants(since)).toEqual([]);
      await add(tenant, { messages: storedTranscript("since") });
      await add(tenant, { messages: storedTranscript("since", "then") });
      expect(await context.store.upkeep.activeTenants(since)).toEqual([tenant]);
      expect(await context.store.upkeep.activeTenants(since - 1)).toEqual([tenant, other].sort());
    });

    it("sweeps what has had its time", async () => {
      const [tenant] = tenants();
      const old = await add(tenant, { messages: storedTranscript("old", "chat"), session: "old" });
      const pinned = await add(tenant, { messages: storedTranscript("pinned") });
      const short = await add(tenant, { messages: storedTranscript("short"), ttlMs: DAY_MS });
      await context.store.conversations.update(tenant, pinned.conversation, { pinned: true });
      const hash = storedTranscript("pinned")[0]!.hash;
      await context.store.save({ summaries: [summary("orphan", "no-chat")] });
      await context.store.records(tenant).save({ summaries: [summary("held", hash)] });
      expect(await context.store.upkeep.sweep({ tenant })).toMatchObject({
        conversations: 0,
        records: 0,
      });
      context.now += 3 * DAY_MS;
      await context.store.save({ summaries: [summary("young", "no-chat")] });
      expect((await context.store.upkeep.sweep({ tenant })).conversations).toBe(1);
      expect(await context.store.conversations.get(tenant, short.conversation)).toBeUndefined();
      const swept = await context.store.upkeep.sweep({
        tenant,
        conversationsMs: 2 * DAY_MS,
        recordsMs: 2 * DAY_MS,
      });
      expect(swept).toMatchObject({ conversations: 1, records: 0 });
      // Those of a library, which has no conversations.
      expect((await context.store.upkeep.sweep({ recordsMs: 2 * DAY_MS })).records).toBeGreaterThan(0);
      expect(await context.store.conversations.get(tenant, old.conversation)).toBeUndefined();
      expect(await context.store.conversations.get(tenant, pinned.conversation)).toBeDefined();
      expect((await context.store.find(["no-chat"])).summaries.map(({ key }) => key)).toEqual(["young"]);
      expect((await context.store.records(tenant).find([hash])).summaries.map(({ key }) => key)).toEqual([
        "held",
      ]);
    });

    it("a conversation that was old when it came here has its full time from then on", async () => {
      const [tenant] = tenants();
      const { conversation } = await add(tenant, {
        messages: storedTranscript("said", "long ago"),
        at: context.now - 400 * DAY_MS,
        createdAt: context.now,
      });
      const sweep = () => context.store.upkeep.sweep({ tenant, conversationsMs: 2 * DAY_MS });
      expect((await sweep()).conversations).toBe(0);
      const held = await context.store.conversations.get(tenant, conversation);
      expect(held).toMatchObject({ updatedAt: context.now - 400 * DAY_MS, createdAt: context.now });
      context.now += DAY_MS;
      expect((await sweep()).conversations).toBe(0);
      context.now += DAY_MS + 1;
      expect((await sweep()).conversations).toBe(1);
      expect(await context.store.conversations.get(tenant, conversation)).toBeUndefined();
    });

    it("a conversation that old messages were added to has its full time from then on", async () => {
      const [tenant] = tenants();
      const long = context.now - 400 * DAY_MS;
      const first = storedTranscript("said");
      const { conversation } = await add(tenant, { messages: first, at: long, createdAt: long });
      await add(tenant, {
        conversation,
        after: first[0]!.hash,
        messages: storedTranscript("said", "and answered").slice(1),
        at: long + 1,
        storedAt: context.now,
      });
      const sweep = () => context.store.upkeep.sweep({ tenant, conversationsMs: 2 * DAY_MS });
      expect((await sweep()).conversations).toBe(0);
      const held = await context.store.conversations.get(tenant, conversation);
      expect(held).toMatchObject({ length: 2, updatedAt: long + 1, createdAt: long, storedAt: context.now });
      context.now += 2 * DAY_MS + 1;
      expect((await sweep()).conversations).toBe(1);
    });

    it("moves everything to another store, once", async () => {
      const [tenant, other] = tenants();
      const messages = storedTranscript("hi", "hello");
      const { conversation } = await add(tenant, { messages, head: '"sys"', session: "s", title: "T" });
      const more = storedTranscript("hi", "hello", "x").map((message, n) =>
        n === 2 ? { ...message, answer: "r1" } : message,
      );
      await add(tenant, { conversation, messages: more });
      const { key } = await context.store.clientKeys.create(tenant, { name: "k" });
      await context.store.records(tenant).save({
        checkpoints: [checkpoint("c", messages[1]!.hash)],
        summaries: [summary("s", messages[1]!.hash)],
        undos: [undo("c")],
      });
      const named = await add(tenant, { messages: storedTranscript("named"), session: "n", named: true });
      await add(other, { messages });
      // These stay where they are.
      await context.store.streams.add(tenant, "live", 0, ["begin"]);
      const learned = { tenant, upstream: "u", model: "m", kind: "window", value: {}, at: context.now };
      await context.store.learned.put([learned]);

      const lines: string[] = [];
      for await (const line of context.store.upkeep.exportAll({ tenant })) lines.push(line);
      const target = await context.open();
      try {
        const first = await target.upkeep.importAll(lines);
        expect(await target.streams.read(tenant, "live", 0)).toEqual([]);
        expect((await target.learned.list()).filter((one) => one.tenant === tenant)).toEqual([]);
        expect(first).toEqual({
          lines: lines.length,
          added: lines.length - 2,
          clientKeys: { added: 0, leftOut: 1 },
        });
        // A file from elsewhere gives nobody a key, unless that is asked for.
        expect(await target.clientKeys.verify(key)).toBeUndefined();
        expect(await target.upkeep.importAll(lines, { clientKeys: true })).toEqual({
          lines: lines.length,
          added: 1,
          clientKeys: { added: 1, leftOut: 0 },
        });
        expect(await target.upkeep.importAll(lines)).toMatchObject({ lines: lines.length, added: 0 });
        const again: string[] = [];
        for await (const line of target.upkeep.exportAll({ tenant })) again.push(line);
        expect(again.slice(1)).toEqual(lines.slice(1));
        expect((await target.upkeep.stats(other)).counts.conversations).toBe(0);
        expect(await target.conversations.get(tenant, named.conversation)).toMatchObject({ named: true });
        expect(await target.conversations.findAnswer(tenant, "r1")).toMatchObject({ length: 3 });
        expect(await target.clientKeys.verify(key)).toMatchObject({ tenant });
      } finally {
        await target.close();
      }
    });

    it("says which line of an import is wrong", async () => {
      const importLines = (...lines: string[]) => context.store.upkeep.importAll(lines);
      await expect(importLines("{")).rejects.toThrow(/line 1 is not JSON/);
      await expect(importLines('{"type":"record"}')).rejects.toThrow(/no beginning/);
      const header = '{"type":"precis-export","version":4,"at":1}';
      await expect(importLines(header, '{"type":"who"}')).rejects.toThrow(
        /line 2 is not a line of an export/,
      );
      await expect(
        importLines(header, '{"type":"message","tenant":"t","conversation":"c","message":{}}'),
      ).rejects.toThrow(/without its conversation/);
      await expect(importLines('{"type":"precis-export","version":99}')).rejects.toThrow(
        /the precis that wrote it/,
      );
    });

    it("refuses a damaged or forged conversation with its line and what to do, and imports nothing of it", async () => {
      const [tenant] = tenants();
      const at = context.now;
      const header = { type: "precis-export", version: 4, at };
      const before = { type: "settings", tenant, settings: { came: "before" } };
      const conversation = { id: "forged", title: "", createdAt: at, updatedAt: at };
      const said = storedTranscript("a", "b", "c").map((message, position) => ({ ...message, position }));
      const lines = (leaf: unknown, parents: readonly unknown[], messages: readonly unknown[] = said) => [
        header,
        before,
        { type: "conversation", tenant, conversation, leaf },
        ...messages.map((message, n) => ({
          type: "message",
          tenant,
          conversation: "forged",
          message,
          parent: parents[n],
        })),
      ];
      const forged: readonly (readonly [wrong: RegExp, lines: readonly object[]])[] = [
        ...[1, 2, -1, 0.5, "0", {}, [0]].map(
          (parent) =>
            [/line 5 is a message whose parent .* before it/, lines(undefined, [null, parent])] as const,
        ),
        [/line 4 is a message whose parent 0/, lines(undefined, [0])],
        ...[3, -1, 1.5, "1", null, {}].map(
          (leaf) => [/line 3 is a conversation whose leaf .* its 3 messages/, lines(leaf, [])] as const,
        ),
        [/line 3 .* leaf 0 isn't one of its 0 messages/, lines(0, [], [])],
        [/line 5 is a message that came before/, lines(undefined, [], [said[0], said[0]])],
        [/line 4 is a message without/, lines(undefined, [], [{ ...said[0], wire: 1 }])],
        [
          /line 4 is a message whose answers aren't a list/,
          lines(undefined, [null]).map((line, n) => (n === 3 ? { ...line, answers: [1] } : line)),
        ],
        [/line 4 is a message without/, lines(undefined, [], [null])],
        [/line 3 is a conversation without/, [header, before, { type: "conversation", tenant }]],
      ];
      for (const [wrong, given] of forged) {
        const imported = context.store.upkeep.importAll(given.map((line) => JSON.stringify(line)));
        const error: unknown = await imported.catch((reason: unknown) => reason);
        expect(String(error)).toMatch(wrong);
        expect(String(error)).toContain("Import a file that `precis db export` wrote, whole and unchanged");
      }
      expect(await context.store.conversations.get(tenant, "forged")).toBeUndefined();
      expect((await context.store.upkeep.stats(tenant)).counts).toMatchObject({
        conversations: 0,
        messages: 0,
      });
      // What stood before it is there, as the error says.
      expect(await context.store.settings.read(tenant)).toEqual({ came: "before" });
    });

    it("counts", async () => {
      const stats = await context.store.upkeep.stats();
      expect(stats).toMatchObject({ kind: context.store.kind, schema: SCHEMA_VERSION });
      expect(stats.tenants).toBeGreaterThan(0);
      await context.store.upkeep.vacuum();
    });
  });
}
