import { describe, expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";
import { talk } from "../support/host.ts";
import { byProof } from "../support/proof.ts";
import { gatedModel } from "./gated-model.ts";
import { workSize } from "./long-work.ts";
import { runWork, type WorkRun } from "./run-work.ts";

const LONG = 200;
const ROUNDS = byProof({ sample: 100, more: LONG, all: LONG });
/** For what happens never: the window is full long before. */
const FEW_ROUNDS = byProof({ sample: 60, more: LONG, all: LONG });
/** Windows in heads. What a model that leaves names out costs is tried with 4 in any case. */
const FACTORS = byProof({ sample: [3], more: [3, 4, 8], all: [3, 4, 8] });
/** System prompt and tools of a small client (tokens). */
const HEAD = 1_830;
/** A summary for about every fourth round at the most: longer records leave a small summariser less to read at a time. */
const MOST_CALLS = 0.27 * ROUNDS;

const run = (factor: number, more: Partial<WorkRun>) =>
  runWork({ size: workSize(HEAD, factor * HEAD), window: factor * HEAD, rounds: ROUNDS, ...more });

const HEEDFUL = ["a model that does as it is told", { habit: "heedful" }] as const;
const SLOW = ["a slow one", { habit: "heedful", delay: 3 }] as const;

describe.each(FACTORS)(`a window of %i times the head, ${ROUNDS} tool rounds`, (factor) => {
  it.each([HEEDFUL, SLOW])("%s is asked seldom, and what it wrote is shown", async (_, more) => {
    const { calls, told, pressure } = await run(factor, more);
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThanOrEqual(MOST_CALLS);
    // A model that was paid speaks for nearly everything that is hidden.
    expect(told).toBeGreaterThan(0.85);
    expect(pressure).toBeLessThanOrEqual(1);
  });
});

it("names that a model leaves out hardly ever cost a second request", async () => {
  const { calls, names } = await run(4, { habit: "forgetful" });
  expect(calls).toBeLessThanOrEqual(MOST_CALLS);
  expect(names["summarize-full-repair"] ?? 0).toBeLessThan(names["summarize-full"]! / 2);
});

it("where no record has room, nobody is asked, and the report says why", async () => {
  const model = gatedModel();
  const compactor = createCompactor({ dialect: openaiChat, budget: 1_100, summarizer: model });
  const { report } = await compactor.fit(talk(40));
  await compactor.close();
  expect(report.outcome).toBe("compacted");
  expect(report.warnings.map(({ code }) => code)).toContain("no-room-for-summaries");
  expect(model.requests).toEqual([]);
  const { calls } = await run(3, { habit: "heedful", reserve: 0.45, rounds: FEW_ROUNDS });
  expect(calls).toBe(0);
});

it.each(["fit", "compact"] as const)(
  "where the only user message takes nearly all of the room, %s reports that no model is asked, and why",
  async (method) => {
    const model = gatedModel();
    const compactor = createCompactor({ dialect: openaiChat, budget: 8_000, summarizer: model });
    const transcript = [
      chat.user(`Please sort this. ${"many words here now ".repeat(1_945)}`),
      ...Array.from({ length: 14 }, (_, n) => [
        chat.assistant(`Part ${n} is sorted.`),
        chat.assistant(`Note ${n}: ${`value ${n} is kept. `.repeat(60)}`),
      ]).flat(),
    ];
    const { report } = await compactor[method](transcript);
    await compactor.close();
    expect(model.requests).toEqual([]);
    const told = report.warnings.find(({ code }) => code === "no-room-for-summaries");
    expect(told?.message).toContain("last user message");
  },
);

it("a run that isn't worth a request is hidden without one, and read later together with what follows it", async () => {
  const model = gatedModel();
  const compactor = createCompactor({ dialect: openaiChat, budget: 8_000, summarizer: model });
  const transcript = talk(12);
  let state: unknown;
  let turn = 100;
  const outcomes: string[] = [];
  for (let request = 0; request < 90; request++) {
    const result = await compactor.fit(transcript, { state });
    ({ state } = result);
    outcomes.push(result.report.outcome);
    await compactor.settled();
    transcript.push(...talk(1, turn++));
  }
  await compactor.close();
  const read = model.requests.map(({ messages }) => {
    const numbers = [...messages[0]!.text.matchAll(/Question (\d+):/g)].map(([, number]) => Number(number));
    return [Math.min(...numbers), Math.max(...numbers)] as const;
  });
  expect(read.length).toBeGreaterThan(1);
  // Each request goes on where the one before it ended: no message is left out, none is read twice.
  for (const [at, [first]] of read.entries())
    if (at > 0) expect(first).toBe(read[at - 1]![1] === 11 ? 100 : read[at - 1]![1] + 1);
  expect(read.length).toBeLessThanOrEqual(outcomes.filter((one) => one === "compacted").length + 1);
});
