import { expect, it } from "vitest";
import { keepTextDraft, readTextDraft } from "./kept.ts";

function memory() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

it("what a person changed of a text is kept for its chat, until it is used or emptied", () => {
  const storage = memory();
  const draft = { goal: "plan the winter", text: "Begin with the MULCH." };
  keepTextDraft("a", draft, storage);
  expect(readTextDraft("a", storage)).toEqual(draft);
  expect(readTextDraft("b", storage)).toBeUndefined();
  keepTextDraft("a", { ...draft, text: " " }, storage);
  expect(readTextDraft("a", storage)).toBeUndefined();
});

it("a browser that is full, or keeps something else there, breaks nothing", () => {
  const full = {
    ...memory(),
    setItem: () => {
      throw new Error("QuotaExceededError");
    },
  };
  expect(() => keepTextDraft("a", { goal: "", text: "words" }, full)).not.toThrow();
  for (const value of ["[", "null", "{}", '{"goal":1,"text":"x"}'])
    expect(readTextDraft("a", { ...memory(), getItem: () => value })).toBeUndefined();
});
