import { expect, it } from "vitest";
import { ConversationCacheEntry, createMemory } from "./memory.ts";

const answer = (word: string) => ({ shown: [], real: [{ role: "assistant", content: word }] });

it("what one conversation looked up is forgotten with it, and nothing of the others", () => {
  const { hidden, forget } = createMemory();
  const gone = { ...new ConversationCacheEntry("t", "openai-chat"), id: "gone" };
  const other = { ...new ConversationCacheEntry("t", "openai-chat"), id: "other" };
  hidden.keep("t", "same words before", answer("gone"), gone);
  hidden.keep("t", "same words before", answer("other"), other);
  hidden.keep("t", "only there", answer("gone"), gone);
  hidden.keep("t", "not looked up", answer("whose"), undefined);
  forget("t", "gone");
  expect(hidden.find("t", "same words before")).toEqual([answer("other")]);
  expect(hidden.find("t", "only there")).toEqual([]);
  expect(hidden.find("t", "not looked up")).toEqual([answer("whose")]);
});

it("a conversation whose id came later is forgotten, too", () => {
  const { hidden, forget } = createMemory();
  const known = new ConversationCacheEntry("t", "openai-chat");
  hidden.keep("t", "before", answer("a"), known);
  known.id = "later";
  forget("t", "later");
  expect(hidden.isEmpty()).toBe(true);
});
