/** A search begins with two letters, or with one emoji, sign or ideograph. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Api } from "./api-client.ts";
import { createConversations } from "./conversations.ts";

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
    call: async (_: unknown, { query }: { query: { q: string } }) => {
      asked.push(query.q);
      return { hits: [] };
    },
  } as unknown as Api;
  createConversations(api).find(typed);
  await vi.runAllTimersAsync();
  expect(asked).toEqual(isAsked ? [typed] : []);
});
