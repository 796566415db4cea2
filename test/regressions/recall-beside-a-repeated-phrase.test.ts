import { expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { charsCounter } from "../../src/tokens/index.ts";
import { houseTalk } from "../support/exam-models.ts";

it("what was asked for is recalled although most of its message is a phrase that the view shows everywhere", async () => {
  const transcript = houseTalk(600);
  const compactor = createCompactor({
    dialect: openaiChat,
    counter: charsCounter(),
    budget: 4_000,
    recall: { auto: true },
  });
  const { state } = await compactor.compact(transcript, { budget: 3_700, adopt: true, now: 0 });
  const asked = [...transcript, { role: "user", content: "Which colour has house number 311?" }];
  const { report } = await compactor.fit(asked, { state, now: 0 });
  expect(report.recalled[0]).toMatchObject({ index: 211 });
  expect(report.recalled[0]?.text).toContain("house number 311 is green");
  await compactor.close();
});
