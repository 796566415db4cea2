import { expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import type { ModelRequest } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { profiles } from "../../src/profiles/index.ts";
import { talk } from "../support/host.ts";
import { plausible } from "./gated-model.ts";

it("a plain async function writes the summaries, under its own name", async () => {
  const asked: ModelRequest[] = [];
  async function ownModel(request: ModelRequest): Promise<string> {
    asked.push(request);
    return plausible(request);
  }
  const compactor = createCompactor({ dialect: openaiChat, budget: 4_000, summarizer: ownModel });
  const { state, report } = await compactor.compact(talk(60), { budget: 4_000 });
  expect(asked.length).toBeGreaterThan(0);
  expect(state.summaries[0]).toMatchObject({ author: "model", model: "ownModel" });
  expect(report.modelCalls.map(({ result }) => result)).toContain("accepted");
});

it("what a function says of its answer counts: one that was cut off isn't taken for whole", async () => {
  const compactor = createCompactor({
    dialect: openaiChat,
    budget: 4_000,
    summarizer: async () => ({ text: "The user", stop: "refusal", usage: { input: 1 } }),
  });
  const { report } = await compactor.compact(talk(60), { budget: 4_000 });
  expect(report.modelCalls.length).toBeGreaterThan(0);
  expect(report.modelCalls.map(({ result }) => result)).not.toContain("accepted");
});

it("what a call cost is reckoned with the prices that the host gave for its model, not only with known ones", async () => {
  const usage = { input: 20_000, output: 300 };
  const prices = { input: 1, output: 4, cacheRead: 0.1, cacheWrite: 1.25 };
  // A provider may say that another model answered, whose prices are the registry's.
  for (const answered of [{}, { model: "gpt-4o" }]) {
    const compactor = createCompactor({
      dialect: openaiChat,
      budget: 4_000,
      models: { m: { window: 128_000, prices } },
      summarizer: {
        id: "m",
        complete: async (request) => ({ text: plausible(request), stop: "end", usage, ...answered }),
      },
    });
    const { report } = await compactor.compact(talk(60), { budget: 4_000 });
    expect(report.modelCalls[0]?.cost).toBeCloseTo(0.0212, 6);
    expect(report.cost).toBeCloseTo(0.0212 * report.modelCalls.length, 6);
  }
});

it("usage that a function doesn't report is left out instead of being zero", async () => {
  const summarizer = async (request: ModelRequest) => plausible(request);
  const compactor = createCompactor({ dialect: openaiChat, budget: 4_000, summarizer });
  const { report } = await compactor.compact(talk(60), { budget: 4_000 });
  expect(report.modelCalls[0]).toMatchObject({ result: "accepted", cost: 0 });
  expect(report.modelCalls[0]).not.toHaveProperty("usage");
});

it("a text that a failing model couldn't write names the failure, and code writes it", async () => {
  const summarizer = async (): Promise<string> => {
    throw new Error("401 bad key");
  };
  const compactor = createCompactor({ dialect: openaiChat, budget: 4_000, summarizer });
  const made = [
    await compactor.summarize(talk(60)),
    await compactor.handover(talk(60), { goal: "Finish the work" }),
  ];
  for (const { text, report } of made) {
    expect(text).not.toBe("");
    expect(report.warnings).toMatchObject([
      { code: "summarizer-failed", message: expect.stringContaining("401 bad key") },
    ]);
  }
});

it("a function has the chat's window where it doesn't say its own", async () => {
  const count = async (window?: number) => {
    let asked = 0;
    const answer = async (request: ModelRequest) => {
      asked++;
      return { text: plausible(request) };
    };
    const summarizer = window === undefined ? answer : Object.assign(answer, { window });
    const compactor = createCompactor({ dialect: openaiChat, window: 64_000, summarizer });
    const { report } = await compactor.compact(talk(600));
    // `stop` and `usage` may be left out.
    expect(new Set(report.modelCalls.map(({ result }) => result))).toEqual(new Set(["accepted"]));
    return asked;
  };
  const [own, said] = [await count(), await count(8_192)];
  expect(own).toBeLessThan(said);
  expect(await count(64_000)).toBe(own);
  const summarizer = Object.assign(async () => "", { window: -1 });
  expect(() => createCompactor({ dialect: openaiChat, window: 64_000, summarizer })).toThrow(
    /summarizer\.window/,
  );
});

it("an answer that ended in no known way is refused by what it said", async () => {
  const summarizer = (async (request: ModelRequest) => ({
    text: plausible(request),
    stop: "stop",
  })) as unknown as () => Promise<string>;
  const compactor = createCompactor({ dialect: openaiChat, budget: 4_000, summarizer });
  const { report } = await compactor.compact(talk(60), { budget: 4_000 });
  expect(report.modelCalls[0]).toMatchObject({ result: "failed", note: expect.stringContaining('"stop"') });
});

it("a compactor without any size doesn't compile, and is refused with the fix where nobody compiles", () => {
  // @ts-expect-error Neither window nor budget says what a view must fit.
  expect(() => createCompactor({ dialect: openaiChat })).toThrow(/`window: 128_000`/);
  // @ts-expect-error Nor does a profile without a budget.
  expect(() => createCompactor({ dialect: openaiChat, profile: profiles.agent })).toThrow(/neither `window`/);
  for (const made of [
    createCompactor({ dialect: openaiChat, window: { model: "gpt-5" } }),
    createCompactor({ dialect: openaiChat, profile: profiles.desktop }),
  ])
    expect(made.dialect.id).toBe("openai-chat");
});
