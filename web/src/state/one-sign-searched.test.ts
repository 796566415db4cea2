/** A search begins with two letters, or with one emoji, sign or ideograph; it finds every title, and forks stand with what they are of. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ApiConversation, ListQuery } from "../../../src/gateway/api.ts";
import type { Api } from "./api-client.ts";
import { createConversations, grouped } from "./conversations.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  ["€", true],
  ["→", true],
  ["🚀", true],
  ["庭", true],
  ["c#", true],
  ["a", false],
  ["é", false],
  ["7", false],
  [" ", false],
])("%j is searched for: %s", async (typed, isAsked) => {
  const asked: unknown[] = [];
  const api = {
    call: async (_: unknown, { query }: { query: { q?: string } }) => {
      if (query.q !== undefined) asked.push(query.q);
      return { hits: [], conversations: [] };
    },
  } as unknown as Api;
  createConversations(api).find(typed);
  await vi.runAllTimersAsync();
  expect(asked).toEqual(isAsked ? [typed] : []);
});

const NOW = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const chat = (id: string, title: string, days: number, more: Partial<ApiConversation> = {}) =>
  ({ id, title, updatedAt: NOW - days * DAY_MS, pinned: false, archived: false, ...more }) as ApiConversation;

it("a title is found on pages of the list that aren't read yet, and only of those whose conversations are looked at", async () => {
  const asked: unknown[] = [];
  const api = {
    call: async ({ path }: { path: string }, { query }: { query: ListQuery }) => {
      asked.push([path, query.of, query.search]);
      return { hits: [], conversations: query.search === "mulch" ? [chat("old", "The MULCH", 400)] : [] };
    },
  } as unknown as Api;
  const conversations = createConversations(api);
  conversations.find('"mulch"');
  await vi.runAllTimersAsync();
  expect(asked).toContainEqual(["/api/search", "person", undefined]);
  expect(asked).toContainEqual(["/api/conversations", "person", "mulch"]);
  const [older] = grouped(conversations.store.get(), NOW);
  expect(older?.conversations.map(({ conversation }) => conversation.id)).toEqual(["old"]);
});

it("a conversation stands with its forks where the newest of them belongs, and a pinned fork pins it", () => {
  const all = [
    chat("a", "Old, with a fresh fork", 90),
    chat("a-fork", "Fresh", 0.1, { fork: { of: "a", length: 2, title: "" } }),
    chat("b", "Old, with a pinned fork", 80),
    chat("b-fork", "Pinned", 70, { fork: { of: "b", length: 2, title: "" }, pinned: true }),
    chat("c", "Of this week", 3),
  ];
  const groups = grouped({ all, search: "", of: "person" }, NOW).map(({ name, conversations }) => [
    name,
    ...conversations.map(({ conversation }) => conversation.id),
  ]);
  expect(groups).toEqual([
    ["pinned", "b", "b-fork"],
    ["today", "a", "a-fork"],
    ["week", "c"],
  ]);
});
