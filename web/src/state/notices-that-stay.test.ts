/** Notices stayed on a phone until somebody closed them, and left little room for the chat. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Divider } from "../../../src/gateway/api.ts";
import { createChat } from "./chat.ts";
import { fakeServer } from "./testing/fake-server.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const LONG_MS = 60_000;
const open = (server: ReturnType<typeof fakeServer>) =>
  createChat({ api: server.api, id: "c", onConversation: () => {}, onFork: () => {} });

it("what only informs goes by itself, once it could be read", async () => {
  const chat = open(fakeServer());
  await chat.load();
  await chat.configure({});
  expect(chat.store.get().notice).toMatchObject({ kind: "info" });
  await vi.advanceTimersByTimeAsync(4_000);
  expect(chat.store.get().notice).toMatchObject({ kind: "info" });
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(chat.store.get().notice).toBeUndefined();
});

it("an error stays, also one that comes after an information", async () => {
  const server = fakeServer();
  const chat = open(server);
  await chat.load();
  await chat.configure({});
  server.fails = new Error("The disk is full.");
  await chat.compact();
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(chat.store.get().notice).toMatchObject({ kind: "error" });
});

it("the notice of a compaction stays: it offers to undo it", async () => {
  const server = fakeServer();
  const chat = open(server);
  await chat.load();
  server.dividers = [
    { checkpoint: "new", at: 2, after: 3, covers: [{ from: 0, to: 4 }] } as unknown as Divider,
  ];
  await chat.compact();
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(chat.store.get().fresh?.checkpoint).toBe("new");
});
