import { expect, it } from "vitest";
import { BudgetImpossibleError } from "../../src/core/errors.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";
import { dialectOf } from "../support/dialects.ts";

it("tools that fill the window are refused before anything is sent, with the numbers", async () => {
  const tools = Array.from({ length: 60 }, (_, index) => ({
    type: "function",
    function: {
      name: `tool_${index}`,
      description: "Does one thing, and does it well. ".repeat(20),
      parameters: {},
    },
  }));
  const compactor = createCompactor<object>({ dialect: dialectOf("openai-chat"), window: 8_000 });
  const error = await compactor.fit([chat.user("Hi.")], { tools }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(BudgetImpossibleError);
  expect((error as Error).message).toMatch(/tools/i);
});
