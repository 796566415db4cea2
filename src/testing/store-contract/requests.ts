import { describe, expect, it } from "vitest";
import type { NewRequest, RequestFilter, TotalsQuery } from "../../stores/server-store.ts";
import { percentileOf } from "../../stores/shared/latency.ts";
import { timeOrderedId } from "../../stores/shared/time-ordered-id.ts";
import { type ContractContext, DAY_MS, hashesOf, storedTranscript } from "./samples.ts";

const HOUR_MS = 3_600_000;
const HEAD = JSON.stringify("be brief ".repeat(40));

function request(at: number, more: Partial<NewRequest> = {}): NewRequest {
  return {
    id: timeOrderedId(at),
    at,
    kind: "client",
    api: "chat",
    path: "/v1/chat/completions",
    model: "small",
    status: 200,
    outcome: "pass",
    tokensBefore: 10,
    tokensAfter: 8,
    spend: 0.5,
    ms: 12.5,
    ...more,
  };
}

export function describeRequests(context: ContractContext): void {
  const { tenants, add } = context;
  const requests = () => context.store.requests;
  const sumOf = async (tenant: string, query = {}) => {
    const sums = await requests().totals(tenant, query);
    return sums.reduce((all, one) => all + one.requests, 0);
  };

  describe("requests", () => {
    it("stores the row of a request with its messages, and shows it with what it was made from", async () => {
      const [tenant, other] = tenants();
      const messages = storedTranscript("hi", "hello");
      const told = request(context.now, {
        message: messages[0]!.hash,
        answer: messages[1]!.hash,
        fields: '{"model":"small","stream":true}',
        details: { settings: { window: 8_000 } },
        checkpoint: "c",
        checksum: "ab",
      });
      const { conversation } = await add(tenant, { messages, head: HEAD, request: told });
      expect(await requests().get(tenant, told.id)).toEqual({ ...told, conversation, head: HEAD });
      expect(await requests().get(other, told.id)).toBeUndefined();
      expect(await requests().list(other)).toEqual([]);
      expect(await requests().list(tenant)).toMatchObject([
        { id: told.id, conversation, ms: 12.5, spend: 0.5 },
      ]);
    });

    it("keeps the system prompt that a request had, also when the conversation has another one by now", async () => {
      const [tenant] = tenants();
      const messages = storedTranscript("hi", "hello", "more");
      const head = (day: string) => JSON.stringify(`${"Rules. ".repeat(500)} Today is ${day}.`);
      const first = request(context.now);
      const { conversation } = await add(tenant, {
        messages: messages.slice(0, 2),
        head: head("Monday"),
        request: first,
      });
      const second = request(context.now);
      const after = messages[1]!.hash;
      await add(tenant, {
        conversation,
        after,
        messages: messages.slice(2),
        head: head("Tuesday"),
        request: second,
      });
      context.now += DAY_MS;
      await context.store.upkeep.sweep();
      expect((await requests().get(tenant, first.id))?.head).toBe(head("Monday"));
      expect((await requests().get(tenant, second.id))?.head).toBe(head("Tuesday"));
    });

    it("sums up each stretch of time on its own, before and after the hours are summed up", async () => {
      const [tenant] = tenants();
      const start = Math.ceil(context.now / DAY_MS) * DAY_MS;
      const made = Array.from({ length: 48 }, (_, n) => request(start + n * HOUR_MS, { saved: 0.25 }));
      context.now = start;
      await requests().add(tenant, made);
      const byDay = async () =>
        (await requests().totals(tenant, { from: start, every: DAY_MS }))
          .map((one) => [one.start! - start, one.requests, one.saved])
          .sort((a, b) => a[0]! - b[0]!);
      const days = [
        [0, 24, 6],
        [DAY_MS, 24, 6],
      ];
      expect(await byDay()).toEqual(days);
      context.now = start + 3 * DAY_MS;
      await context.store.upkeep.sweep();
      expect(await byDay()).toEqual(days);
      const hours = await requests().totals(tenant, { from: start, to: start + DAY_MS, every: HOUR_MS });
      expect(hours).toHaveLength(24);
    });

    it("blanks the words of a deleted conversation, and keeps the numbers", async () => {
      const [tenant] = tenants();
      const messages = storedTranscript("hi", "hello");
      const told = request(context.now, {
        fields: `{"tools":${JSON.stringify("secret ".repeat(50))}}`,
        details: { quoted: [1] },
        error: "it said secret",
        status: 400,
      });
      const { conversation } = await add(tenant, { messages, head: HEAD, request: told });
      await context.store.conversations.delete(tenant, conversation);
      const { fields, details, error, ...numbers } = told;
      expect(await requests().get(tenant, told.id)).toEqual({ ...numbers, head: undefined });
      // What comes late brings none of them back.
      const late = request(context.now, {
        conversation,
        message: hashesOf(messages)[0]!,
        error: "secret",
        fields: "{}",
      });
      await requests().add(tenant, [late]);
      const found = await requests().get(tenant, late.id);
      expect(found).not.toHaveProperty("error");
      expect(found).not.toHaveProperty("fields");
      context.now += DAY_MS;
      await context.store.upkeep.sweep();
      expect((await context.store.upkeep.stats(tenant)).counts.bodies).toBe(0);
      expect(await sumOf(tenant)).toBe(2);
    });

    it("lists and sums up by time, model, client, outcome and words, before and after the hours are summed up", async () => {
      const [tenant] = tenants();
      const start = Math.ceil(context.now / DAY_MS) * DAY_MS;
      context.now = start;
      const made: NewRequest[] = [];
      for (let n = 0; n < 60; n++)
        made.push(
          request(start + (n * HOUR_MS) / 10, {
            model: n % 3 === 0 ? "large" : "small",
            ...(n % 4 === 0 && { client: "ci" }),
            ...(n % 10 === 0 && { status: 503, error: `no. ${n}` }),
            ...(n % 5 === 1 && { outcome: "compacted", compactions: 1, kind: "page" as const }),
          }),
        );
      await requests().add(tenant, made.slice(0, 30));
      // Once more changes nothing.
      await requests().add(tenant, made.slice(0, 30));
      const check = async () => {
        const ids = async (query: Parameters<ReturnType<typeof requests>["list"]>[1]) =>
          (await requests().list(tenant, query)).map(({ id }) => id);
        const expected = (is: (one: NewRequest) => boolean) => made.filter(is).reverse();
        const cases: [Parameters<ReturnType<typeof requests>["totals"]>[1], (one: NewRequest) => boolean][] =
          [
            [{}, () => true],
            [{ model: "large" }, (one) => one.model === "large"],
            [{ client: "ci", model: "small" }, (one) => one.client === "ci" && one.model === "small"],
            [{ failed: true }, (one) => one.status >= 400],
            [
              { kinds: ["page", "summary"], outcome: "compacted", failed: false },
              (one) => one.kind === "page" && one.status < 400,
            ],
            [{ search: "LARG" }, (one) => one.model === "large"],
            [{ search: "503" }, (one) => one.status === 503],
            [{ search: "NO. 2" }, (one) => one.error === "no. 20"],
            [{ search: "100%" }, () => false],
            [
              { from: start + 1.3 * HOUR_MS, to: start + 4.25 * HOUR_MS },
              ({ at }) => at >= start + 1.3 * HOUR_MS && at < start + 4.25 * HOUR_MS,
            ],
            [
              { from: start + 2.1 * HOUR_MS, to: start + 2.6 * HOUR_MS, model: "small" },
              ({ at, model }) =>
                at >= start + 2.1 * HOUR_MS && at < start + 2.6 * HOUR_MS && model === "small",
            ],
          ];
        for (const [query, is] of cases) {
          const all = expected(is);
          expect(await ids(query), JSON.stringify(query)).toEqual(all.map(({ id }) => id));
          expect(await sumOf(tenant, query), JSON.stringify(query)).toBe(all.length);
          const [, second, third] = all;
          if (second)
            expect(await ids({ ...query, before: second.id, limit: 1 })).toEqual(third ? [third.id] : []);
        }
        const sums = await requests().totals(tenant);
        const sum = (name: "errors" | "compactions" | "tokensBefore" | "spend") =>
          sums.reduce((all, one) => all + one[name], 0);
        expect(sum("errors")).toBe(6);
        expect(sum("compactions")).toBe(12);
        expect(sum("tokensBefore")).toBe(600);
        expect(sum("spend")).toBeCloseTo(30);
      };
      context.now = start + 3.5 * HOUR_MS;
      await context.store.upkeep.sweep();
      // Some come when their hour was summed up already.
      await requests().add(tenant, made.slice(30));
      await check();
      context.now = start + 5 * HOUR_MS;
      await context.store.upkeep.sweep();
      await check();
      context.now = start + DAY_MS;
      await context.store.upkeep.sweep();
      await check();
    });

    it("sorts lists both ways, page by page, before and after the hours are summed up", async () => {
      const [tenant] = tenants();
      const start = Math.ceil(context.now / DAY_MS) * DAY_MS;
      context.now = start;
      const made = Array.from({ length: 60 }, (_, n) =>
        request(start + (n * HOUR_MS) / 4, {
          model: n % 3 === 0 ? "large" : "small",
          ms: ((n * 37) % 60) + 0.5,
          tokensAfter: (n * 7) % 20,
          ...(n % 9 === 0 && { tokensAfter: undefined, input: n }),
          // Most are alike, and of some it isn't known.
          spend: n % 10 === 0 ? n / 8 : n % 4 === 0 ? undefined : 0.25,
        }),
      );
      await requests().add(tenant, made.slice(0, 40));
      const values = {
        time: (_: NewRequest) => 0,
        ms: ({ ms }: NewRequest) => ms,
        spend: ({ spend = 0 }: NewRequest) => spend,
        tokens: ({ tokensAfter, input = 0 }: NewRequest) => tokensAfter ?? input,
      };
      const check = async () => {
        for (const sort of ["time", "ms", "spend", "tokens"] as const)
          for (const order of ["desc", "asc"] as const)
            for (const filter of [
              {},
              { model: "large" },
              { from: start + HOUR_MS, to: start + 9 * HOUR_MS },
            ]) {
              const { model, from = 0, to = Number.POSITIVE_INFINITY } = filter as RequestFilter;
              const all = made
                .filter((one) => one.at >= from && one.at < to && (model ?? one.model) === one.model)
                .sort((a, b) => values[sort](a) - values[sort](b) || (a.id < b.id ? -1 : 1))
                .map(({ id }) => id);
              if (order === "desc") all.reverse();
              const query = { ...filter, sort, order, limit: 7 };
              const first = (await requests().list(tenant, query)).map(({ id }) => id);
              expect(first, JSON.stringify(query)).toEqual(all.slice(0, 7));
              const second = await requests().list(tenant, { ...query, before: first.at(-1) });
              expect(
                second.map(({ id }) => id),
                JSON.stringify(query),
              ).toEqual(all.slice(7, 14));
            }
        expect(await requests().list(tenant, { sort: "ms", before: timeOrderedId(start) })).toEqual([]);
      };
      context.now = start + 5 * HOUR_MS;
      await context.store.upkeep.sweep();
      await requests().add(tenant, made.slice(40));
      await check();
      context.now = start + DAY_MS;
      await context.store.upkeep.sweep();
      await check();
    });

    it("says within which time 95 % of requests ended, for hours that are summed up and for others", async () => {
      const [tenant] = tenants();
      const start = Math.ceil(context.now / DAY_MS) * DAY_MS;
      context.now = start;
      const p95 = async (query: TotalsQuery = {}) =>
        percentileOf(await requests().totals(tenant, query), 0.95);
      expect(await p95()).toBe(0);
      await requests().add(tenant, [request(start, { model: "one", ms: 4_321 })]);
      expect(await p95()).toBe(4_321);
      // From a fifth of a second to eight minutes, and one that hangs.
      const made = Array.from({ length: 200 }, (_, n) =>
        request(start + (n * 5 * HOUR_MS) / 200, { ms: 200 * 1.04 ** n }),
      );
      await requests().add(tenant, [...made, request(start, { ms: 3_600_000 })]);
      const check = async () => {
        const ratio = (await p95({ model: "small" })) / (200 * 1.04 ** 190);
        expect(Math.abs(ratio - 1)).toBeLessThan(0.1);
        expect(await p95({ model: "one" })).toBe(4_321);
        expect(percentileOf(await requests().totals(tenant), 1)).toBe(3_600_000);
      };
      await check();
      context.now = start + DAY_MS;
      await context.store.upkeep.sweep();
      await check();
    });

    it("lists those of one conversation", async () => {
      const [tenant] = tenants();
      const messages = storedTranscript("hi", "hello");
      const told = request(context.now);
      const { conversation } = await add(tenant, { messages, request: told });
      const late = request(context.now, { conversation, kind: "summary" });
      await requests().add(tenant, [late, request(context.now)]);
      const found = await requests().list(tenant, { conversation });
      expect(found.map(({ id }) => id)).toEqual([late.id, told.id].sort().reverse());
      expect(await requests().list(tenant, { search: conversation })).toEqual(found);
      expect(await requests().list(tenant, { conversation: "none" })).toEqual([]);
    });

    it("keeps requests as long as retention says, whole hours of them", async () => {
      const [tenant, other] = tenants();
      const start = Math.ceil(context.now / DAY_MS) * DAY_MS;
      await requests().add(tenant, [request(start), request(start + 2 * DAY_MS)]);
      await requests().add(other, [request(start)]);
      await requests().refuse(tenant, [{ at: start, reason: "rate-limit", count: 2 }]);
      context.now = start + 3 * DAY_MS;
      await context.store.upkeep.sweep();
      expect(await sumOf(tenant)).toBe(2);
      const swept = await context.store.upkeep.sweep({ tenant, requestsMs: 1.5 * DAY_MS });
      expect(swept.requests).toBe(1);
      expect(await requests().list(tenant)).toHaveLength(1);
      expect(await sumOf(tenant)).toBe(1);
      expect(await sumOf(other)).toBe(1);
      expect(await requests().refusals(tenant)).toEqual([]);
    });

    it("counts refusals by minute and reason", async () => {
      const [tenant, other] = tenants();
      const at = 60_000;
      await requests().refuse(tenant, [{ at, reason: "rate-limit", count: 2 }]);
      await requests().refuse(tenant, [
        { at, reason: "rate-limit", count: 3 },
        { at: 2 * at, reason: "no-key", count: 1 },
      ]);
      expect(await requests().refusals(tenant, { from: at })).toEqual([
        { at, reason: "rate-limit", count: 5 },
        { at: 2 * at, reason: "no-key", count: 1 },
      ]);
      expect(await requests().refusals(tenant, { to: at })).toEqual([]);
      expect(await requests().refusals(other)).toEqual([]);
    });

    it("exports and imports rows with what they stand on", async () => {
      const [tenant] = tenants();
      const messages = storedTranscript("hi", "hello");
      const told = request(context.now, { message: messages[0]!.hash, fields: "{}", details: { a: 1 } });
      await add(tenant, { messages, head: HEAD, request: told });
      const copy = await context.open();
      const lines: string[] = [];
      for await (const line of context.store.upkeep.exportAll({ tenant })) lines.push(line);
      await copy.upkeep.importAll(lines);
      expect(await copy.requests.get(tenant, told.id)).toEqual(await requests().get(tenant, told.id));
      expect((await copy.upkeep.importAll(lines)).added).toBe(0);
      await copy.close();
    });
  });
}
