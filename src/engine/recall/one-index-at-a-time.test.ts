/** Two requests of one conversation at the same time read into one index, and both failed. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type ChatMessage, openaiChat } from "../../apis/index.ts";
import { profiles } from "../../index.ts";
import { createCompactor } from "../create-compactor.ts";

const session = readFileSync(new URL("../../../examples/coding-session.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as ChatMessage);
const QUESTIONS = [
  "Which ports does the API listen on and why did we change them from 8080?",
  "What happens when a carrier call fails, and after how many seconds is it tried again?",
  "Which ports does the API listen on and why did we change them from 8080?",
];
const compactor = () => createCompactor({ dialect: openaiChat, window: 32_000, profile: profiles.agent });

test("questions at the same time, each at another end of one conversation, get what each gets alone", async () => {
  const together = compactor();
  const { state } = await together.fit(session);
  const asked = QUESTIONS.map((content): ChatMessage[] => [...session, { role: "user", content }]);
  const alone = [];
  for (const question of asked) alone.push((await compactor().fit(question, { state })).messages);
  const views = await Promise.all(asked.map((question) => together.fit(question, { state })));
  expect(views.map(({ messages }) => messages)).toEqual(alone);
});
