import { expect, test } from "vitest";
import { storedTranscript } from "../../testing/store-contract.ts";
import { timeOrderedId } from "../shared/time-ordered-id.ts";
import { memoryServerStore } from "../sqlite.ts";

test("memory stays bounded: what is quiet for longest goes, pinned ones last", async () => {
  const store = memoryServerStore({ maxConversations: 2 });
  const add = (name: string, at: number) =>
    store.conversations.append("t", { messages: storedTranscript(name), title: name, at });
  const first = await add("first", 1);
  await store.conversations.update("t", first.conversation, { pinned: true });
  await add("second", 2);
  await add("third", 3);
  const titles = (await store.conversations.list("t")).conversations.map((one) => one.title);
  expect(titles).toEqual(["first", "third"]);
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
