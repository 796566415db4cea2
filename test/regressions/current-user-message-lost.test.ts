import { describe, expect, it } from "vitest";
import { anthropic } from "../../src/testing/index.ts";
import { BUILDERS } from "../support/dialects.ts";
import { judgeFit } from "../support/judge-fit.ts";
import { STRATEGIES } from "../support/property-suite.ts";

const ASK = "Rename the function frobnicate to twiddle in every file, and show me the diff.";

describe.each(Object.keys(BUILDERS))("%s", (id) => {
  const b = BUILDERS[id]!;
  it.each(STRATEGIES.filter((name) => name !== "none"))(
    "%s: the current request outlives 60 rounds",
    async (strategy) => {
      const rounds = Array.from({ length: 60 }, (_, i) =>
        b.round("read", { path: `${i}.ts` }, "text ".repeat(80), `c${i}`),
      ).flat();
      const messages = [b.user("Hello there."), b.assistant("Hi."), b.user(ASK), ...rounds];
      for (const budget of [150, 600, 2_000]) {
        const { breaches, result } = await judgeFit({ dialect: id, messages, budget, strategy });
        expect(breaches, `budget ${budget}`).toEqual([]);
        expect(result?.messages).toContain(messages[2]);
      }
    },
  );
});

it("words beside tool results are the current request when they come last", async () => {
  const rounds = Array.from({ length: 30 }, (_, i) =>
    anthropic.round("read", { path: `${i}.ts` }, "text ".repeat(80), `c${i}`),
  ).flat();
  const last = {
    role: "user" as const,
    content: [
      { type: "tool_result", tool_use_id: "last", content: "text ".repeat(900) },
      { type: "text", text: "Stop reading. Write the report now." },
    ],
  };
  const messages = [anthropic.user("Read on."), ...rounds, anthropic.call("read", {}, "last"), last];
  for (const strategy of STRATEGIES.filter((name) => name !== "none")) {
    const { breaches } = await judgeFit({ dialect: "anthropic-messages", messages, budget: 700, strategy });
    expect(breaches, strategy).toEqual([]);
  }
});
