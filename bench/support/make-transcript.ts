import { readdirSync, readFileSync } from "node:fs";
import type { ChatMessage } from "../../src/apis/index.ts";
import { chat } from "../../src/testing/index.ts";

const ROOT = new URL("../../", import.meta.url);
/** Real source text: our own first, then type declarations of the development dependencies. */
const FOLDERS = [
  "src/",
  "test/",
  "docs/",
  "node_modules/ai/dist/",
  "node_modules/openai/",
  "node_modules/typescript/lib/",
];
const KINDS = /\.(ts|mts|md)$/;
const LINES_PER_RESULT = 60;

/** Files that tools of a coding session could have read, always in the same order. */
function* sourceFiles(): Generator<{ path: string; lines: string[] }> {
  for (const folder of FOLDERS) {
    const url = new URL(folder, ROOT);
    const paths = readdirSync(url, { recursive: true, encoding: "utf8" }).filter((path) => KINDS.test(path));
    for (const path of paths.sort())
      yield { path: folder + path, lines: readFileSync(new URL(path, url), "utf8").split("\n") };
  }
}

/**
 * A coding session in Chat Completions form: a request every ten rounds, results of sixty lines of real source text.
 * Real, because made-up text of a few hundred words is counted several times faster than anything that people send.
 */
export function makeTranscript(rounds: number): ChatMessage[] {
  const messages: ChatMessage[] = [chat.system("You are a careful engineer. Answer briefly.")];
  let round = 0;
  for (const { path, lines } of sourceFiles())
    for (let from = 0; from < lines.length; from += LINES_PER_RESULT) {
      if (round === rounds) return messages;
      if (round % 10 === 0)
        messages.push(chat.user(`Step ${round / 10}: explain ${path} and keep its tests green.`));
      const text = lines.slice(from, from + LINES_PER_RESULT).join("\n");
      messages.push(...chat.round("read", { path, from }, text, `call_${round}`));
      round++;
    }
  throw new Error(`The source text ends after ${round} rounds.`);
}

/** Rounds that make about so many tokens. */
export const roundsFor = (tokens: number): number => Math.ceil(tokens / TOKENS_PER_ROUND);
const TOKENS_PER_ROUND = 480;

/** Every text of a message, as a host without precis would count it. */
export function textsOf(message: ChatMessage): string[] {
  const calls = (message.tool_calls ?? []) as { function: { name: string; arguments: string } }[];
  return [
    typeof message.content === "string" ? message.content : "",
    ...calls.flatMap((call) => [call.function.name, call.function.arguments]),
  ];
}
