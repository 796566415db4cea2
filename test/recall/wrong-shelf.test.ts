/** What is looked up is what was asked for: words that stand together in a question count together, and nothing pads the answer. */
import { expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/index.ts";
import { openRecall, recallTool } from "../../src/recall/index.ts";

const user = (content: string): ChatMessage => ({ role: "user", content }) as ChatMessage;
const assistant = (content: string): ChatMessage => ({ role: "assistant", content }) as ChatMessage;

const shelves = Array.from({ length: 400 }, (_, i) => [
  user(`Message ${i} about shelf ${3 * i} and box ${5 * i}`),
  assistant(`I saw ${2 * i + 1} messages.`),
]).flat();
const QUESTION = "What is stored on shelf 300?";
const RIGHT = "Message 100 about shelf 300 and box 500";
const numbersOf = (text: string) => [...text.matchAll(/^#(\d+) /gm)].map(([, number]) => Number(number));

it("a search finds the shelf, not the message or the box of that number", async () => {
  const recall = openRecall({ transcript: shelves, dialect: openaiChat });
  const { hits } = await recall.search(QUESTION);
  expect(hits[0]!.text).toContain(RIGHT);
});

it("automatic recall quotes the shelf that was asked for first, and no reply again and again", async () => {
  const compactor = createCompactor({ dialect: openaiChat, window: 8_000, recall: { auto: true } });
  const { report } = await compactor.fit([...shelves, user(QUESTION)]);
  const texts = report.recalled.map(({ text }) => text);
  expect(texts[0]).toContain(RIGHT);
  expect(texts.filter((text) => text.includes("I saw")).length).toBeLessThanOrEqual(1);
});

it("a question that took the place of the one before a compaction is looked up, too", async () => {
  const compactor = createCompactor({ dialect: openaiChat, window: 8_000, recall: { auto: true } });
  const first = await compactor.fit([...shelves, user(QUESTION)]);
  expect(first.report.outcome).toBe("compacted");
  const { report } = await compactor.fit([...shelves, user("What is stored on shelf 333?")]);
  expect(report.outcome).toBe("view");
  expect(report.recalled[0]!.text).toContain("Message 111 about shelf 333");
  const again = await compactor.fit([...shelves, user(QUESTION)]);
  expect(again.messages).toEqual(first.messages);
});

it("the recall tool answers with what was asked for, and with nothing twice", async () => {
  const compactor = createCompactor({ dialect: openaiChat, window: 8_000 });
  const answer = await recallTool(compactor).execute(
    { query: QUESTION },
    { transcript: [...shelves, user(QUESTION)] },
  );
  expect(answer).toContain(RIGHT);
  expect(numbersOf(answer).length).toBeLessThanOrEqual(3);
  expect(answer).not.toContain("I saw");
});
