import { expect, it } from "vitest";
import type { Draft } from "../../core/draft.ts";
import { runNow } from "../../core/steps.ts";
import type { Message } from "../../core/types.ts";
import { createMemoryIndex } from "../../recall/memory-index.ts";
import type { Conversation } from "../conversation.ts";
import { chooseRecalled } from "./choose-recalled.ts";

const said = (role: "user" | "assistant", text: string): Message => ({
  role,
  parts: [{ type: "text", text }],
});

it("where nothing is clearly relevant, no passage is read once more", () => {
  const past = Array.from({ length: 2_000 }, (_, n) =>
    said(n % 2 === 0 ? "user" : "assistant", `Part ${n}: the number of the day, and words about it.`),
  );
  const messages = [...past, said("user", "Which number would you like?")];
  const index = createMemoryIndex();
  for (const message of past) index.add(message);
  let reads = 0;
  const passages = index.passages.map(({ text, ...passage }) => ({
    ...passage,
    get text() {
      reads++;
      return text;
    },
  }));
  const chosen = runNow(
    chooseRecalled({
      indexes: {
        // biome-ignore lint/correctness/useYield: it is there already
        *of() {
          return { ...index, passages };
        },
      },
      conversation: { messages, structure: { start: 0 }, chain: [] } as unknown as Conversation,
      draft: {
        fates: messages.map(() => ({ type: "drop", reason: "middle" })),
        inserts: [],
      } as unknown as Draft,
      quoted: [],
      allowance: 2_000,
    }),
  );
  expect(chosen).toEqual([]);
  expect(reads).toBe(0);
});
