import { describe, expect, it } from "vitest";
import { BUILDERS } from "../support/dialects.ts";
import { judgeFit } from "../support/judge-fit.ts";
import { STRATEGIES } from "../support/property-suite.ts";

/** Clients send empty user messages (a cleared input, a stripped attachment); the request before them is still the request. */
describe.each(Object.keys(BUILDERS))("%s", (id) => {
  const b = BUILDERS[id]!;
  it.each(STRATEGIES.filter((name) => name !== "none"))("%s: the real request stays", async (strategy) => {
    const rounds = Array.from({ length: 30 }, (_, i) =>
      b.round("read", {}, "text ".repeat(60), `c${i}`),
    ).flat();
    const messages = [
      b.user("Hi."),
      b.assistant("Hi."),
      b.user("Count the words."),
      ...rounds,
      b.user(" "),
      b.user(""),
    ];
    const { breaches, result } = await judgeFit({ dialect: id, messages, budget: 400, strategy });
    expect(breaches).toEqual([]);
    expect(result?.messages).toContain(messages[2]);
  });
});
