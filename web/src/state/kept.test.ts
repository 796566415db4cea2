import { expect, it } from "vitest";
import { browserStorage, kept } from "./kept.ts";

function memory() {
  const all = new Map<string, string>();
  return {
    getItem: (key: string) => all.get(key) ?? null,
    setItem: (key: string, value: string) => void all.set(key, value),
    removeItem: (key: string) => void all.delete(key),
  };
}

it("what a person wrote is kept by its id, until it is taken away", () => {
  const storage = memory();
  const drafts = kept<{ readonly text: string }>("text", () => storage);
  expect(drafts.keep("a", { text: "Begin with the MULCH." })).toBe(true);
  expect(drafts.read("a")).toEqual({ text: "Begin with the MULCH." });
  expect(drafts.read("b")).toBeUndefined();
  drafts.keep("a", undefined);
  expect(drafts.read("a")).toBeUndefined();
});

it("a browser that is full, or keeps something else there, breaks nothing, and the page knows", () => {
  const full = {
    ...memory(),
    setItem: () => {
      throw new DOMException("", "QuotaExceededError");
    },
  };
  const drafts = kept<string>("text", () => full);
  expect(drafts.keep("a", "words")).toBe(false);
  expect(browserStorage.get().isFull).toBe(true);
  drafts.keep("a", undefined);
  expect(browserStorage.get().isFull).toBe(false);
  for (const value of ["[", "null"])
    expect(kept("text", () => ({ ...memory(), getItem: () => value })).read("a")).toBeUndefined();
});
