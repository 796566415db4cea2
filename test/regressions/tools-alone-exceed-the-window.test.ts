import { expect, it } from "vitest";
import { BudgetImpossibleError } from "../../src/core/errors.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";
import { dialectOf } from "../support/dialects.ts";

const tools = Array.from({ length: 60 }, (_, index) => ({
  type: "function",
  function: {
    name: `tool_${index}`,
    description: "Does one thing, and does it well. ".repeat(20),
    parameters: {},
  },
}));

it("tools that fill the window are refused before anything is sent, with the numbers", async () => {
  const compactor = createCompactor<object>({ dialect: dialectOf("openai-chat"), window: 8_000 });
  const error = await compactor.fit([chat.user("Hi.")], { tools }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(BudgetImpossibleError);
  expect((error as Error).message).toMatch(/tools/i);
});

it.each([
  ["tools", [chat.user("Hi.")], { tools }],
  ["one message", [chat.user("Several words of a talk. ".repeat(3_000))], {}],
])(
  "a guessed window refuses nothing: %s that can't fit it are passed on, with a warning",
  async (_, transcript, input) => {
    const unknown = { dialect: dialectOf("openai-chat"), window: { model: "made-up-9" } } as const;
    const compactor = createCompactor<object>(unknown);
    const { messages, report } = await compactor.fit(transcript, input);
    expect(messages).toEqual(transcript);
    expect(report.outcome).toBe("pass");
    expect(report.budget.window).toBeUndefined();
    expect(report.warnings.map(({ code, message }) => `${code}: ${message}`).join("\n")).toMatch(
      /^unknown-model: .*sent unchanged.*`window`/,
    );
    expect((await compactor.plan(transcript, input)).due).toBeUndefined();
    expect((await compactor.pressure(transcript, input)).pressure).toBeGreaterThanOrEqual(1);
    await compactor.observe({ transcript: [...transcript, chat.assistant("Yes.")], input });
    // What the host itself said holds.
    const small = createCompactor<object>({ ...unknown, budget: 1_000 });
    const error = await small.fit([chat.system("Rules. ".repeat(2_000)), ...transcript], input).catch(String);
    expect(error).toContain("the budget is 1000");
  },
);
