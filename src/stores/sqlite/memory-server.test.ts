import { expect, test } from "vitest";
import { storedTranscript } from "../../testing/store-contract.ts";
import { timeOrderedId } from "../shared/time-ordered-id.ts";
import { memoryServerStore } from "../sqlite.ts";

test("events are bounded by what they hold, too: one may tell of hundreds of requests", async () => {
  const store = memoryServerStore();
  const data = "x".repeat(1_000_000);
  for (let i = 0; i < 40; i++) await store.events.append("t", { type: "x", at: 1, data });
  const left = await store.events.list("t");
  expect(left.length).toBeLessThan(40);
  expect(left.at(-1)?.id).toBe(40);
  await store.events.append("t", { type: "x", at: 1, data: "y".repeat(40_000_000) });
  expect((await store.events.list("t")).map(({ id }) => id)).toEqual([41]);
});

test("memory stays bounded: what is quiet for longest goes, pinned ones last", async () => {
  const store = memoryServerStore({ maxConversations: 2, maxEvents: 3 });
  const add = (name: string, at: number) =>
    store.conversations.append("t", { messages: storedTranscript(name), title: name, at });
  const first = await add("first", 1);
  await store.conversations.update("t", first.conversation, { pinned: true });
  await add("second", 2);
  await add("third", 3);
  const titles = (await store.conversations.list("t")).conversations.map((one) => one.title);
  expect(titles).toEqual(["first", "third"]);
  for (let i = 0; i < 5; i++) await store.events.append("t", { type: "x", at: 1, data: i });
  expect((await store.events.list("t")).map((event) => event.id)).toEqual([3, 4, 5]);
});

test("rows of requests are bounded, and what they come to is still known", async () => {
  let clock = 10 * 60_000;
  const store = memoryServerStore({ maxRequests: 10, now: () => clock });
  const row = { kind: "client", path: "/", status: 200, outcome: "pass", ms: 1 } as const;
  const added = Array.from({ length: 300 }, (_, n) => ({ ...row, id: timeOrderedId(n), at: n }));
  await store.requests.add("t", added.slice(0, 200));
  clock += 60 * 60_000;
  await store.upkeep.sweep();
  await store.requests.add("t", added.slice(200));
  expect(await store.requests.list("t")).toHaveLength(10);
  expect((await store.requests.totals("t"))[0]?.requests).toBe(300);
});
