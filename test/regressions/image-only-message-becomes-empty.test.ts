import { describe, expect, it } from "vitest";
import { wireFacts } from "../../src/testing/index.ts";
import { BUILDERS } from "../support/dialects.ts";
import { judgeFit } from "../support/judge-fit.ts";

describe.each(Object.keys(BUILDERS))("%s", (id) => {
  const b = BUILDERS[id]!;
  it("an old picture becomes a text, never nothing, and the current one stays", async () => {
    const old = Array.from({ length: 20 }, (_, i) => [
      b.image(),
      b.assistant(`I see picture ${i}. ${"Nice. ".repeat(40)}`),
    ]).flat();
    const messages = [...old, b.image("What is this?")];
    for (const budget of [400, 1_000, 2_500]) {
      const { breaches, result } = await judgeFit({ dialect: id, messages, budget });
      expect(breaches, `budget ${budget}`).toEqual([]);
      expect(result?.messages.at(-1)).toBe(messages.at(-1));
      for (const message of result!.messages) {
        const facts = wireFacts(id, message);
        expect(facts.media + facts.texts.length).toBeGreaterThan(0);
      }
    }
  });
});
