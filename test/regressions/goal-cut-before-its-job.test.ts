/** The text for people showed the beginning of a long first request as if it were all, and so left out the job itself; a report of a fault stood among the rules, and an item of a list of rules didn't. */
import { expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";

const JOB = "Move the service to port 4180 and say so in the README.";
const PREAMBLE = Array.from({ length: 20 }, (_, at) => `Room ${at + 1} of the house has a lamp.`).join(" ");

const RULES = `Some rules of the house:

1. never edit the generated files. The contract is what counts.
2. always run the linter before you are done.

3. no new dependencies at run time. The decisions say why.

Then there is work:

- rename the folder of the images
- always the same question: which one is the logo?`;

async function summaryOf(...requests: readonly string[]): Promise<string> {
  const compactor = createCompactor<ChatMessage>({ dialect: openaiChat, window: 32_000 });
  const { text } = await compactor.summarize(
    requests.flatMap((request) => [chat.user(request), chat.assistant("It is done, and the tests pass.")]),
  );
  await compactor.close();
  return text;
}

const section = (text: string, title: string): string =>
  text.split("## ").find((part) => part.startsWith(`${title}\n`)) ?? "";

it("a long first request is shown with its beginning and its end, and says that it was cut", async () => {
  const goal = section(await summaryOf(`${PREAMBLE} ${JOB}`), "Goal");
  expect(goal).toContain("Room 1 of the house has a lamp.");
  expect(goal).toContain(JOB);
  expect(goal).toContain(" … ");
});

it("so is a long later request", async () => {
  const goal = section(await summaryOf("Hello there, let us begin.", `${PREAMBLE} ${JOB}`), "Goal");
  expect(goal).toContain("Room 1 of the house has a lamp.");
  expect(goal).toContain(` … `);
  expect(goal).toContain(JOB);
});

it("a request that fits isn't cut", async () => {
  expect(await summaryOf(JOB)).toContain(`## Goal\n- ${JOB}\n`);
});

it("in a list whose items mostly set rules, all items are rules; another list isn't touched", async () => {
  const rules = section(await summaryOf(RULES), "Rules");
  expect(rules).toContain("- never edit the generated files. The contract is what counts.");
  expect(rules).toContain("- always run the linter before you are done.");
  expect(rules).toContain("- no new dependencies at run time. The decisions say why.");
  expect(rules).not.toContain("rename the folder");
});

it("what happens never somewhere is no rule", async () => {
  const text = await summaryOf(
    "Now this. store.test.ts breaks on the server every other day, never on my desk. Find out why.",
  );
  expect(section(text, "Rules")).toBe("");
});
