/** What the model has just asked for and never seen was cut to a fifth of the landing, with half of the window free. */
import { describe, expect, it } from "vitest";
import type { StrategyName } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { strategies } from "../../src/engine/settings/settings.ts";
import { profiles } from "../../src/profiles/index.ts";
import { chat } from "../../src/testing/index.ts";
import { measure } from "../support/count.ts";
import { DIALECT_IDS, dialectOf } from "../support/dialects.ts";
import { byProof } from "../support/proof.ts";
import { playLoop, sourceFile, type ToolLoop } from "../support/tool-loop.ts";

const each =
  (...sizes: number[]) =>
  () =>
    sizes;
const ROUNDS = byProof({ sample: 12, more: 16, all: 16 });

/** Loops of real agents, by window, prompt and what their tools bring. `every` is the least number of requests per compaction. */
const LOOPS: readonly (Omit<ToolLoop, "rounds"> & { readonly name: string; readonly every: number })[] = [
  {
    name: "32k, results of 6k, 6k of prompt, 8,192 for the answer",
    options: { window: 32_000, reserve: 8_192 },
    system: 6_000,
    results: each(6_000),
    every: 2,
  },
  {
    name: "32k, four parallel reads of 2.4k",
    options: { window: 32_000 },
    results: each(2_400, 2_400, 2_400, 2_400),
    every: 2,
  },
  // Two of them never fit: each one pushes out the one before.
  { name: "32k, results of 20k", options: { window: 32_000 }, results: each(20_000), every: 1 },
  {
    name: "32k, a result of 20k now and then",
    options: { window: 32_000 },
    results: (round) => [round % 5 === 0 ? 20_000 : 200],
    every: 2,
  },
  {
    name: "32k, a long prompt and mixed tools",
    options: { window: 32_000 },
    system: 9_000,
    results: (round) => [[300], [4_500], [120, 2_000], [7_000], [90]][round % 5]!,
    every: 2,
  },
  { name: "16k, results of 1.5k", options: { window: 16_000 }, results: each(1_500), every: 3 },
  {
    name: "a budget of 8k, results of 1.2k",
    options: { budget: 8_000 },
    system: 2_500,
    results: each(1_200),
    every: 2,
  },
];

describe("a newest round that the model hasn't answered is whole wherever it fits the budget", () => {
  it.each(LOOPS)("$name", async ({ every, ...loop }) => {
    const outcome = await playLoop({ ...loop, rounds: ROUNDS });
    expect(outcome.cutThoughItFits).toEqual([]);
    expect(outcome.unstable).toEqual([]);
    expect(outcome.compactions).toBeGreaterThan(0);
    expect(outcome.compactions).toBeLessThanOrEqual(ROUNDS / every);
    if (every > 1) expect(outcome.inARow).toBe(1);
  });

  const parallel: Omit<ToolLoop, "rounds" | "options"> = { results: each(900, 900, 900, 900) };

  it.each(DIALECT_IDS)("%s", async (dialect) => {
    const outcome = await playLoop({ ...parallel, dialect, options: { budget: 10_000 }, rounds: 10 });
    expect(outcome.cut).toEqual([]);
    expect(outcome.compactions).toBeGreaterThan(0);
    expect(outcome.compactions).toBeLessThanOrEqual(5);
  });

  it.each(Object.keys(profiles) as (keyof typeof profiles)[])("profile %s", async (name) => {
    const options = { budget: 10_000, profile: profiles[name] };
    const outcome = await playLoop({ ...parallel, options, rounds: 10 });
    expect(outcome.cut).toEqual([]);
    expect(outcome.compactions).toBeGreaterThan(0);
  });

  const shortening = (Object.keys(strategies) as StrategyName[]).filter((name) => name !== "none");
  it.each(shortening)("strategy %s", async (strategy) => {
    const outcome = await playLoop({ ...parallel, options: { budget: 10_000, strategy }, rounds: 10 });
    expect(outcome.cut).toEqual([]);
    expect(outcome.compactions).toBeGreaterThan(0);
  });

  it.each(shortening)("strategy %s, and the user has spoken after the results", async (strategy) => {
    const says = (round: number) => (round % 3 === 2 ? `Question ${round}: and now?` : undefined);
    const outcome = await playLoop({ ...parallel, says, options: { budget: 10_000, strategy }, rounds: 10 });
    expect(outcome.cut).toEqual([]);
    expect(outcome.compactions).toBeGreaterThan(0);
  });

  it.each([{ messages: 1 }, { turns: 1 }, { rounds: 1 }, { tokens: 100 }, { share: 0.05 }])(
    "with the tail %o",
    async (tail) => {
      const outcome = await playLoop({ ...parallel, options: { budget: 10_000, tail }, rounds: 8 });
      expect(outcome.cut).toEqual([]);
      expect(outcome.compactions).toBeGreaterThan(0);
    },
  );
});

const round = (number: number, size: number): object[] =>
  chat.round("read_file", { path: `src/${number}.ts` }, sourceFile(`${number}`, size), `call_${number}`);
const work = (rounds: number, size: number): object[] => [
  chat.system("You are careful."),
  chat.user("Read the files."),
  ...Array.from({ length: rounds }, (_, number) => round(number, size)).flat(),
];
const tokens = (messages: readonly object[]): number =>
  messages.reduce((sum, message) => sum + measure.message(dialectOf("openai-chat").read(message)), 0);

it.each(["fit", "compact"] as const)(
  "%s: what was asked for to fill a budget shows it whole",
  async (way) => {
    const transcript = [...work(20, 500), ...round(99, 3_000)];
    const compactor = createCompactor<object>({
      dialect: dialectOf("openai-chat"),
      budget: way === "fit" ? 5_000 : 50_000,
    });
    const { messages, report } =
      way === "fit"
        ? await compactor.fit(transcript)
        : await compactor.compact(transcript, { budget: 5_000 });
    expect(report.outcome).toBe("compacted");
    expect(messages.slice(-2)).toEqual(transcript.slice(-2));
    expect(report.tokens.after).toBeLessThanOrEqual(5_000);
  },
);

it("a compaction by hand leaves it whole, too", async () => {
  const transcript = [...work(10, 500), ...round(99, 6_000)];
  const compactor = createCompactor<object>({ dialect: dialectOf("openai-chat"), window: 64_000 });
  const { messages, report } = await compactor.compact(transcript);
  expect(report.outcome).toBe("compacted");
  expect(messages.slice(-2)).toEqual(transcript.slice(-2));
});

it.each(["summarize-oldest", "drop-middle", "drop-all", "summarize-and-drop", "tool-summaries"] as const)(
  "%s: a round that doesn't fit even alone gets all the room there is",
  async (strategy) => {
    const results = ["a", "b", "c"].map((id) => ({ id, name: "read_file", text: sourceFile(id, 8_000) }));
    const calls = results.map(({ id, name }) => ({ id, name, args: { path: `${id}.ts` } }));
    const transcript = [...work(20, 500), ...chat.calls(calls), ...chat.results(results)];
    const compactor = createCompactor<object>({
      dialect: dialectOf("openai-chat"),
      budget: 12_000,
      strategy,
    });
    const { messages, report } = await compactor.fit(transcript);
    expect(report.tokens.after).toBeLessThanOrEqual(12_000);
    expect(tokens(messages.slice(-4))).toBeGreaterThan(11_000);
    const sizes = messages.slice(-3).map((message) => tokens([message]));
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(200);
  },
);

it("once it is answered it is part of the tail like any other", async () => {
  const transcript = [...work(10, 500), ...round(99, 6_000), ...round(100, 1_500)];
  const compactor = createCompactor<object>({ dialect: dialectOf("openai-chat"), budget: 9_000 });
  const { messages, report } = await compactor.fit(transcript);
  expect(report.outcome).toBe("compacted");
  expect(messages.slice(-2)).toEqual(transcript.slice(-2));
  expect(messages).not.toContain(transcript.at(-3));
  expect(report.tokens.after).toBeLessThan(5_000);
});

it("beside a task that takes most of a small view, a waiting round leaves the record of a long session its room", async () => {
  const long = Array.from({ length: 60 }, (_, number) => round(number, 800)).flat();
  const task = chat.user(`Carry out the plan. ${"Then check the next file of the list. ".repeat(150)}`);
  const transcript = [task, ...long, ...round(99, 520)];
  const budget = tokens([task]) + 620;
  const compactor = createCompactor<object>({ dialect: dialectOf("openai-chat"), budget });
  const { messages, report } = await compactor.compact(transcript, { budget });
  expect(report.tokens.after).toBeLessThanOrEqual(budget);
  const record = messages.find((message) => JSON.stringify(message).includes("<conversation-summary>"));
  expect(tokens([record!])).toBeGreaterThan(300);
});
