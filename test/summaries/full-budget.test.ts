import { expect, test } from "vitest";
import { openaiChat } from "../../src/apis/chat/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { charsCounter } from "../../src/tokens/index.ts";

/** A budget that was asked for is used: what isn't shown can't help anybody. */

const remark = (at: number) =>
  `Remark ${at}: house ${at * 13} was painted by painter${at * 7} in ${1900 + (at % 99)}. `;
const transcript = Array.from({ length: 600 }, (_, at) => ({
  role: at % 2 === 0 ? ("user" as const) : ("assistant" as const),
  content: remark(at).repeat(at % 2 === 0 ? 3 : 12),
}));

test.each([0.05, 0.1, 0.25, 0.5])("a view of %d of the transcript is full", async (share) => {
  const compactor = createCompactor({ dialect: openaiChat, budget: 1_000_000, counter: charsCounter() });
  const { report } = await compactor.compact(transcript, { budget: share, now: 0 });
  const budget = report.tokens.before * share;
  expect(report.tokens.after).toBeLessThanOrEqual(budget);
  expect(report.tokens.after).toBeGreaterThan(0.97 * budget);
});
