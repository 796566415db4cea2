/** What was quoted stays until the next compaction. Where none can be made, the view must fit all the same. */
import { expect, it } from "vitest";
import { anthropicMessages, type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/index.ts";

const BUDGET = 4_000;
const QUESTION = "What does shelf3 hold, and which hall3 is it, with box3 and box4 in hall4?";

function chatWithALongList(): ChatMessage[] {
  const messages: ChatMessage[] = [];
  const say = (user: string, assistant: string) =>
    messages.push({ role: "user", content: user }, { role: "assistant", content: assistant });
  for (let shelf = 0; shelf < 12; shelf++)
    say(
      `Where is shelf${shelf}?`,
      `Answer ${shelf}: shelf${shelf} holds box${shelf} in hall${shelf}. ${"That is how it is stored. ".repeat(30)}`,
    );
  say("Show the long list.", `The long list: ${"item and item and more ".repeat(420)}`);
  for (let thanks = 0; thanks < 2; thanks++) say(`Thanks ${thanks}.`, "You are welcome.");
  messages.push({ role: "user", content: QUESTION });
  return messages;
}

it.each([
  ["openai-chat", openaiChat],
  ["anthropic-messages", anthropicMessages],
] as const)("%s: a view with quotations is never larger than its budget", async (_, dialect) => {
  const options = { budget: BUDGET, strategy: "tool-summaries" as const, recall: { auto: true } };
  const compactor = createCompactor<never>({ dialect: dialect as never, ...options });
  const messages = chatWithALongList();
  let state: unknown;
  let recalled = 0;
  const told = { quoted: 0, left: 0 };
  for (let turn = 0; turn < 8; turn++) {
    const input = state === undefined ? {} : { state };
    const planned = await compactor.plan(messages as never[], input);
    const result = await compactor.fit(messages as never[], input);
    ({ state } = result);
    recalled += result.report.recalled.length;
    // What stands in the view is what was quoted before and hasn't left.
    if (result.report.recalled.length > 0) told.quoted++;
    told.left = Math.max(told.left, told.quoted - result.report.quoted.length);
    expect(result.report.tokens.after).toBeLessThanOrEqual(BUDGET);
    expect(planned.tokens.after).toBeLessThanOrEqual(BUDGET);
    messages.push(
      { role: "assistant", content: `Step ${turn}. ${"I go on with it. ".repeat(8)}` },
      { role: "user", content: "ok" },
    );
  }
  expect(recalled).toBeGreaterThan(0);
  expect(told.left).toBeGreaterThan(0);
  await compactor.close();
});
