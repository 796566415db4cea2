import { expect, it, vi } from "vitest";
import { memoryServerStore } from "../../stores/server.ts";
import type { EventStore } from "../../stores/server-store.ts";
import type { RequestFact } from "../api.ts";
import type { Log } from "./log.ts";
import { createRequestLog } from "./request-log.ts";

const log = { warn: vi.fn() } as unknown as Log;
const fact = (at: number, model = "m"): RequestFact => ({
  at,
  conversation: undefined,
  model,
  path: "/v1/chat/completions",
  status: 200,
  outcome: "pass",
  tokens: undefined,
  ms: 1,
});

/** The events of a store, and how many requests were ever read from it. */
function counted(events: EventStore): { readonly events: EventStore; read: number; largest: number } {
  const seen = {
    read: 0,
    largest: 0,
    events: {
      append: (tenant, event) => {
        seen.largest = Math.max(seen.largest, (event.data as unknown[]).length);
        return events.append(tenant, event);
      },
      list: async (tenant, query) => {
        const found = await events.list(tenant, query);
        for (const { data } of found) seen.read += (data as unknown[]).length;
        return found;
      },
    } satisfies EventStore,
  };
  return seen;
}

it("a list reads about as many requests as it shows, however many there were", async () => {
  const store = counted(memoryServerStore().events);
  const requests = createRequestLog(store.events, log);
  for (let n = 0; n < 60_000; n++) {
    requests.note("t", fact(n, n === 5 ? "rare" : "m"));
    if (n % 5_000 === 0) await requests.flush();
  }
  const shown = await requests.list("t", { limit: 100 });
  expect(shown.map(({ at }) => at)).toEqual(Array.from({ length: 100 }, (_, n) => 59_999 - n));
  expect(store.largest).toBeLessThan(1_000);
  expect(store.read).toBeLessThan(20_000);
  store.read = 0;
  // What stands too far back isn't looked for, so that nobody waits for one who searches.
  expect(await requests.list("t", { model: "rare" })).toEqual([]);
  expect(store.read).toBeLessThan(40_000);
});

it("goes on to older pages for what is rare among the newest", async () => {
  const requests = createRequestLog(memoryServerStore().events, log);
  for (let n = 0; n < 300; n++) {
    requests.note("t", fact(n, n === 5 ? "rare" : "m"));
    await requests.flush();
  }
  expect(await requests.list("t", { model: "rare" })).toMatchObject([{ at: 5 }]);
  expect(await requests.list("t", { limit: 250 })).toHaveLength(250);
});

it("while a store doesn't answer it is asked once, and the oldest of what waits are given up", async () => {
  const { events } = memoryServerStore();
  const { promise, resolve } = Promise.withResolvers<void>();
  const append = vi.fn(async (...event: Parameters<EventStore["append"]>) => {
    await promise;
    return events.append(...event);
  });
  const requests = createRequestLog({ ...events, append }, log);
  for (let n = 0; n < 50_000; n++) {
    requests.note("t", fact(n));
    if (n % 1_000 === 0) void requests.flush();
  }
  await Promise.resolve();
  expect(append).toHaveBeenCalledOnce();
  resolve();
  const listed = await requests.list("t", { limit: 100_000 });
  expect(listed[0]?.at).toBe(49_999);
  expect(listed.length).toBeLessThan(12_000);
});

it("what a store refuses is listed all the same, and written when it takes it", async () => {
  const { events } = memoryServerStore();
  const append = vi.fn(events.append).mockRejectedValueOnce(new Error("disk full"));
  const requests = createRequestLog({ ...events, append }, log);
  requests.note("t", fact(1));
  await requests.flush();
  requests.note("t", fact(2));
  expect((await requests.list("t")).map(({ at }) => at)).toEqual([2, 1]);
  expect((await events.list("t")).flatMap(({ data }) => data)).toHaveLength(2);
});

it("a busy server's requests don't wait for the timer, and a store that refuses them isn't asked again with each one", async () => {
  const { events } = memoryServerStore();
  const append = vi.fn(events.append);
  const requests = createRequestLog({ ...events, append }, log);
  for (let n = 0; n < 450; n++) {
    requests.note("t", fact(n));
    await new Promise(setImmediate);
  }
  expect(append.mock.calls.map(([, { data }]) => (data as unknown[]).length)).toEqual([200, 200]);
  append.mockRejectedValue(new Error("disk full"));
  append.mockClear();
  for (let n = 450; n < 2_000; n++) {
    requests.note("t", fact(n));
    await new Promise(setImmediate);
  }
  expect(append).toHaveBeenCalledOnce();
});
