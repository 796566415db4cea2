/** What is typed and can't go out at once says why, whatever stands before it. */
import { beforeEach, expect, it } from "vitest";
import { ApiFailure } from "./api-client.ts";
import type { Chat } from "./chat.ts";
import { createChat } from "./chat.ts";
import { type Obstacle, obstacleAt } from "./outbox.ts";
import { CONVERSATION, fakeServer, message, PRESSURE } from "./testing/fake-server.ts";

let server: ReturnType<typeof fakeServer>;
let chat: Chat;

beforeEach(async () => {
  server = fakeServer();
  chat = createChat({ api: server.api, id: "c", onConversation: () => {}, onFork: () => {} });
  await chat.load();
});

const reasons = (): (Obstacle["type"] | undefined)[] => {
  const { items } = chat.outbox.store.get();
  return items.map((_, nth) => obstacleAt(items, nth)?.type);
};
const accepted = { type: "accepted", conversation: CONVERSATION, message: message(0, "user", "Hi") } as const;
const done = {
  type: "done",
  message: message(1, "assistant", "Hello"),
  usage: undefined,
  pressure: PRESSURE as never,
} as const;

it("a second message without a connection waits for it, too, instead of being sent forever", async () => {
  server.stream = [new ApiFailure({ code: "offline", message: "The server can't be reached." })];
  await chat.send({ text: "one" });
  await chat.send({ text: "two" });
  expect(reasons()).toEqual(["offline", "offline"]);
});

it("behind a message that was refused the next one waits, and goes out when that one is taken back", async () => {
  server.stream = [new ApiFailure({ code: "invalid", message: "Too long.", status: 400 })];
  await chat.send({ text: "one" });
  const [first] = chat.outbox.store.get().items;
  chat.outbox.add({ text: "two" });
  expect(reasons()).toEqual(["refused", "behind"]);
  server.stream = [accepted, done];
  chat.takeBack(first!.id);
  await expect.poll(() => chat.outbox.store.get().items).toEqual([]);
  expect(server.bodies.at(-1)).toMatchObject({ text: "two" });
});

it("what is said while an answer is written waits for its end and then goes out", async () => {
  const { promise: end, resolve: goOn } = Promise.withResolvers<void>();
  server.stream = [accepted, end, done];
  const first = chat.send({ text: "one" });
  await expect.poll(() => chat.outbox.store.get().items).toEqual([]);
  const second = chat.send({ text: "two" });
  expect(reasons()).toEqual(["busy"]);
  goOn();
  await Promise.all([first, second]);
  expect(reasons()).toEqual([]);
  expect(server.bodies).toMatchObject([{ text: "one" }, { text: "two" }]);
});

it("what is said while a second try is written doesn't take its place", async () => {
  const { promise: end, resolve: goOn } = Promise.withResolvers<void>();
  server.stream = [accepted, { type: "text", text: "Hel" }, end, done];
  const again = chat.regenerate();
  await expect.poll(() => chat.store.get().answer?.text).toBe("Hel");
  await chat.send({ text: "two" });
  expect(reasons()).toEqual(["busy"]);
  expect(chat.store.get().answer?.text).toBe("Hel");
  goOn();
  await again;
  await expect.poll(() => chat.outbox.store.get().items).toEqual([]);
  expect(server.bodies.at(-1)).toMatchObject({ text: "two" });
});
