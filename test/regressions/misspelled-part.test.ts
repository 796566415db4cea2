import { expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/index.ts";

/** A talk whose users misspell the type of each part. */
const misspelled = (type: string) =>
  Array.from({ length: 30 }, (_, i) => [
    {
      role: "user",
      content: [{ type, text: `Question ${i}: ${"what about the plan for the house? ".repeat(4)}` }],
    },
    { role: "assistant", content: [{ type, text: `Answer ${i}: ${"it goes on as was said. ".repeat(4)}` }] },
  ]).flat();

it("a misspelled content part is named, and what is hidden for it isn't blamed on the budget", async () => {
  const compactor = createCompactor({ dialect: openaiChat, budget: 800 });
  const { report } = await compactor.fit(misspelled("txt"));
  const codes = Object.fromEntries(report.warnings.map(({ code, message }) => [code, message]));
  expect(codes["unknown-part"]).toMatch(/of type "txt" \(message 1, 3, 5, 7, 9 and 25 more\)/);
  expect(codes["no-summary-fits"]).toMatch(
    /hidden without a summary: they have no text that precis can read/,
  );
});

it("a text part without a text is named; parts that are right aren't", async () => {
  const compactor = createCompactor({ dialect: openaiChat, budget: 800 });
  const { report } = await compactor.fit([{ role: "user", content: [{ type: "text" }] }]);
  expect(report.warnings.map(({ code }) => code)).toEqual(["unknown-part"]);
  expect((await compactor.fit(misspelled("text").slice(0, 2))).report.warnings).toEqual([]);
});
