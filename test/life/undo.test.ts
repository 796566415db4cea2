import { expect, it } from "vitest";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";
import { dialectOf } from "../support/dialects.ts";
import { talk } from "../support/host.ts";

const BUDGET = 40_000;
const START = 1_700_000_000_000;

it("undo shows everything again and waits until pressure has grown by 0.1", async () => {
  const compactor = createCompactor<object>({ dialect: dialectOf("openai-chat"), budget: BUDGET });
  const transcript: object[] = [chat.system("You help.")];
  let turn = 0;
  let state: unknown;
  const step = async () => {
    transcript.push(...talk(1, turn++));
    const now = START + turn;
    const result = await compactor.fit(transcript, { state, now, lastRequestAt: now });
    state = result.state;
    return result;
  };
  let result = await step();
  while (result.report.outcome !== "compacted") result = await step();
  const startedAt = result.report.pressure.before;

  state = await compactor.undo(transcript, { state, now: START + turn });
  const undone = await compactor.fit(transcript, { state, now: START + turn, lastRequestAt: START + turn });
  expect(undone.report.outcome).toBe("pass");
  expect(undone.messages).toEqual(transcript);
  state = JSON.parse(JSON.stringify(undone.state));

  let again = await step();
  while (again.report.outcome === "pass") again = await step();
  expect(again.report.outcome).toBe("compacted");
  expect(again.report.pressure.before).toBeGreaterThanOrEqual(Math.min(1, startedAt + 0.1) - 0.001);
  await compactor.close();
});

it("undo with nothing to undo changes nothing", async () => {
  const compactor = createCompactor<object>({ dialect: dialectOf("openai-chat"), budget: BUDGET });
  const transcript = talk(3);
  const state = await compactor.undo(transcript);
  const result = await compactor.fit(transcript, { state });
  expect(result.report.outcome).toBe("pass");
  await compactor.close();
});
