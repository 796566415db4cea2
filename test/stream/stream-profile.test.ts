/** The `stream` profile end to end: a chat host on the profile gets what a session gets on its cache. */
import { expect, test } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type { ModelRequest } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { profiles } from "../../src/profiles/index.ts";
import { charsCounter, createMeasure } from "../../src/tokens/index.ts";
import { HANGS_AFTER_MS } from "../support/time-limits.ts";

const SYSTEM = "You watch a repair and help.";
const GOAL = "I want to fit a new chain to my bike before 17:30.";
const WINDOW = 4_096;

test("everything becomes a summary in the system prompt, which is stated once, and the first goal stays", async () => {
  const asked: ModelRequest[] = [];
  const compactor = createCompactor({
    dialect: openaiChat,
    window: WINDOW,
    profile: profiles.stream,
    counter: charsCounter(),
    waitMs: HANGS_AFTER_MS,
    summarizer: {
      id: "stub",
      async complete(request) {
        asked.push(request);
        return {
          text: `The user wants to fit a new chain to the bike before 17:30. Link ${asked.length} is done and the next one is being pressed in.`,
          stop: "end",
          usage: { input: 1 },
        };
      },
    },
  });
  const measure = createMeasure({ counter: charsCounter() });
  const transcript: ChatMessage[] = [
    { role: "system", content: SYSTEM },
    { role: "user", content: GOAL },
  ];
  let state: unknown;
  let compactions = 0;
  for (let turn = 0; turn < 400; turn++) {
    transcript.push({ role: "assistant", content: `Good. Now press link ${turn} in, slowly and evenly.` });
    transcript.push({ role: "user", content: `Link ${turn} sits. It took ${turn + 3} seconds. What next?` });
    const result = await compactor.fit(transcript, { state });
    state = result.state;
    const tokens = result.messages.reduce((sum, each) => sum + measure.message(openaiChat.read(each)), 0);
    expect(tokens).toBeLessThanOrEqual(WINDOW - 128);
    const systems = result.messages.filter((message) => message.role === "system");
    expect(systems).toHaveLength(1);
    const text = String(systems[0]?.content);
    expect(text.startsWith(SYSTEM)).toBe(true);
    expect(text.split(SYSTEM)).toHaveLength(2);
    if (result.report.outcome !== "compacted") continue;
    compactions++;
    expect(text).toContain("new chain");
    expect(JSON.stringify(result.messages)).toContain("17:30");
  }
  await compactor.close();
  expect(compactions).toBeGreaterThanOrEqual(2);
  expect(asked.length).toBeGreaterThan(0);
});
