/** Only what happened while a page was looking is news. */
import { afterEach, expect, it, vi } from "vitest";
import type { Divider, TimelineEvent } from "../../../src/gateway/api.ts";
import { createChat } from "./chat.ts";
import { CONVERSATION, fakeServer, told } from "./testing/fake-server.ts";

const divider = (checkpoint: string, at: number) =>
  ({ checkpoint, at, after: 3, covers: [{ from: 0, to: 4 }] }) as unknown as Divider;
const open = (server: ReturnType<typeof fakeServer>) =>
  createChat({ api: server.api, id: "c", onConversation: () => {}, onFork: () => {} });

afterEach(() => vi.unstubAllGlobals());

it("a fork that is being read doesn't tell of the compaction that it was forked with", async () => {
  const server = fakeServer();
  server.dividers = [divider("old", 1)];
  const chat = open(server);
  const read = chat.load();
  // The server tells of the fork's messages while the page is still reading them.
  chat.apply(told({ messages: 2, leaf: 1 }));
  await read;
  await expect.poll(() => chat.store.get().version).toBeGreaterThan(0);
  expect(chat.store.get().fresh).toBeUndefined();
  server.dividers = [divider("old", 1), divider("new", 2)];
  await chat.compact();
  expect(chat.store.get().fresh?.checkpoint).toBe("new");
});

it("a failure that a person has closed stays closed when the chat is opened again", async () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const server = fakeServer();
  server.events = [{ id: "5", type: "failed", conversation: CONVERSATION.id } as unknown as TimelineEvent];
  vi.stubGlobal("localStorage", storage);
  const chat = open(server);
  await chat.load();
  chat.dismiss();
  const again = open(server);
  expect(again.store.get().dismissed).toBe("5");
});
