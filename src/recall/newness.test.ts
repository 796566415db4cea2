import { expect, it } from "vitest";
import { createMemoryIndex } from "./candidates.ts";

const said = (text: string) => ({ role: "user" as const, parts: [{ type: "text" as const, text }] });

it("words that were said before count as new", () => {
  const index = createMemoryIndex();
  index.add(said("amber lantern"));
  index.add(said("amber lantern copper turnstile"));
  index.add(said("copper lantern"));
  expect(index.newness).toEqual([1, 0.5, 0]);
});

it("words of messages that an edit took away are still known", () => {
  const index = createMemoryIndex();
  index.add(said("amber lantern"));
  index.add(said("copper turnstile"));
  index.truncate(1);
  index.add(said("copper lantern"));
  expect(index.newness).toEqual([1, 0.5]);
});
