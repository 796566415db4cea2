/** A hand-over without a model said the user's request up to four times: as the goal, as what was asked for, about the goal, and as open. */
import { expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";

const FIRST = "Add a column for notes to the orders table. Keep the old rows.";
const LAST = "Now write the rollback for the migration of the orders table.";
const transcript: ChatMessage[] = [
  chat.user(FIRST),
  chat.assistant(
    "I added the column `note` in migration 0042_add_note.sql. The old rows keep an empty note.",
  ),
  chat.user(LAST),
];
const times = (text: string, part: string): number => text.toLowerCase().split(part.toLowerCase()).length - 1;

async function texts(goal: string, cap = 2_500): Promise<{ handover: string; summary: string }> {
  const compactor = createCompactor<ChatMessage>({ dialect: openaiChat, window: 32_000 });
  const { text: handover } = await compactor.handover(transcript, { goal, cap });
  const { text: summary } = await compactor.summarize(transcript, { cap });
  await compactor.close();
  return { handover, summary };
}

it("each request stands there once, whatever the goal is", async () => {
  for (const goal of [
    "Release version 2",
    "Finish the migration of the orders table",
    FIRST,
    LAST.slice(0, -1),
  ]) {
    const { handover } = await texts(goal);
    for (const sentence of [
      "Add a column for notes to the orders table",
      "Keep the old rows",
      LAST.slice(0, -1),
    ])
      expect(times(handover, sentence), `${sentence} for ${goal}`).toBe(1);
    expect(handover).toContain("I added the column `note` in migration 0042_add_note.sql.");
  }
});

it("that the last request has no answer is still said, in a summary too", async () => {
  const { handover, summary } = await texts("Release version 2");
  for (const text of [handover, summary]) {
    expect(text).toMatch(/## Open points\n- .*no report/);
    expect(times(text, LAST.slice(0, -1))).toBe(1);
  }
});

it("in a short hand-over that has no room for all requests, what was said about the goal still stands there", async () => {
  const { handover } = await texts("Write the rollback", 110);
  expect(times(handover, "rollback for the migration")).toBe(1);
});
