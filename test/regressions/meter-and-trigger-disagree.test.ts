import { expect, it } from "vitest";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";
import { dialectOf } from "../support/dialects.ts";
import { talk } from "../support/host.ts";

const START = 1_700_000_000_000;

it("meter, trigger and report show one number, and compaction starts exactly where the meter says", async () => {
  const compactor = createCompactor<object>({ dialect: dialectOf("openai-chat"), window: 20_000 });
  const tools = [
    {
      type: "function",
      function: { name: "read", description: "Reads a file. ".repeat(100), parameters: {} },
    },
  ];
  const transcript: object[] = [chat.system("You help.")];
  let state: unknown;
  let compactions = 0;
  for (const message of talk(170)) {
    transcript.push(message);
    const input = { state, tools, now: START, lastRequestAt: START };
    const meter = await compactor.pressure(transcript, input);
    const { report, state: next } = await compactor.fit(transcript, input);
    expect(meter.pressure).toBe(report.pressure.before);
    expect(meter.budget).toEqual(report.budget);
    expect(meter.pressure).toBeCloseTo(meter.tokens / meter.budget.budget, 10);
    expect(report.outcome === "compacted").toBe(meter.pressure >= meter.startsAt);
    const filled = Object.values(meter.fill).reduce((sum, tokens) => sum + tokens, 0);
    expect(filled).toBe(meter.tokens);
    if (report.outcome === "compacted") compactions++;
    state = next;
  }
  expect(compactions).toBeGreaterThan(1);
});
