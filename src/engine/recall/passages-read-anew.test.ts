import { expect, it } from "vitest";
import { allHidden, indexOf, recalledFor } from "../../../test/support/recalled.ts";
import type { Message } from "../../core/types.ts";

const said = (role: "user" | "assistant", text: string): Message => ({
  role,
  parts: [{ type: "text", text }],
});

it("where nothing is clearly relevant, no passage is read once more", async () => {
  const past = Array.from({ length: 2_000 }, (_, n) =>
    said(n % 2 === 0 ? "user" : "assistant", `Part ${n}: the number of the day, and words about it.`),
  );
  const messages = [...past, said("user", "Which number would you like?")];
  const index = indexOf(past);
  let reads = 0;
  const passages = index.passages.map(({ text, ...passage }) => ({
    ...passage,
    get text() {
      reads++;
      return text;
    },
  }));
  const chosen = await recalledFor(messages, allHidden(messages), 2_000, { ...index, passages });
  expect(chosen).toEqual([]);
  expect(reads).toBe(0);
});
