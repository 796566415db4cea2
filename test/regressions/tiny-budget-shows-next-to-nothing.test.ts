import { expect, test } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";

const transcript = [
  ...Array.from({ length: 8 }, (_, at) => [
    { role: "user" as const, content: `Fact ${at}: the importer belongs to team ${at}.` },
    { role: "assistant" as const, content: `Noted, team ${at} it is.` },
  ]).flat(),
  { role: "user" as const, content: "Go on." },
];

test.each([60, 80, 100, 130])(
  "where no summary fits %i tokens, the newest whole messages fill them, and the report says so",
  async (budget) => {
    const compactor = createCompactor({ dialect: openaiChat, budget });
    const { messages, report } = await compactor.fit(transcript);
    // Both were half empty: a view of 7 tokens.
    expect(report.tokens.after).toBeGreaterThan(budget / 2);
    expect(report.tokens.after).toBeLessThanOrEqual(budget);
    expect(messages).toEqual(transcript.slice(-messages.length));
    expect(report.warnings.map(({ code }) => code)).toContain("no-summary-fits");
  },
);

test("where a summary fits, nothing warns of it", async () => {
  const compactor = createCompactor({ dialect: openaiChat, budget: 200 });
  const long = [...transcript, ...transcript, ...transcript];
  const { report } = await compactor.fit(long);
  expect(report.outcome).toBe("compacted");
  expect(report.warnings.map(({ code }) => code)).not.toContain("no-summary-fits");
});
