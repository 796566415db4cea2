import type { ChatMessage } from "../../src/dialects/index.ts";
import { chat } from "../../src/testing/index.ts";

/** A small generator of numbers that are the same on every machine (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WORDS =
  "parse token budget round reader index config server retry socket buffer client cache store hash view report entry plan stream window reserve error module export async return const import".split(
    " ",
  );

/** A line of source code that hardly ever repeats, so that no counter gets by with remembering whole lines. */
function codeLine(random: () => number): string {
  const word = () => WORDS[Math.floor(random() * WORDS.length)] ?? "x";
  const number = Math.floor(random() * 100_000);
  return `  const ${word()}${number} = await ${word()}.${word()}(${word()}${number % 97}, "${word()}-${word()}", ${number});`;
}

/** A coding session in Chat Completions form: a request every ten rounds, tool results of 20 to 60 lines. */
export function makeTranscript(rounds: number, seed = 1): ChatMessage[] {
  const random = createRandom(seed);
  const messages: ChatMessage[] = [chat.system("You are a careful engineer. Answer briefly.")];
  for (let round = 0; round < rounds; round++) {
    if (round % 10 === 0)
      messages.push(
        chat.user(`Step ${round / 10}: make module-${round}.ts faster and keep its tests green.`),
      );
    const lines = Array.from({ length: 20 + Math.floor(random() * 40) }, () => codeLine(random));
    messages.push(
      ...chat.round(
        "read",
        { path: `src/module-${round}.ts`, from: round },
        lines.join("\n"),
        `call_${round}`,
      ),
    );
  }
  return messages;
}

/** Rounds that make about so many tokens: a round has some 1,400. */
export const roundsFor = (tokens: number): number => Math.ceil(tokens / 1_400);

/** Every text of a message, as a host without precis would count it. */
export function textsOf(message: ChatMessage): string[] {
  const calls = (message.tool_calls ?? []) as { function: { name: string; arguments: string } }[];
  return [
    typeof message.content === "string" ? message.content : "",
    ...calls.flatMap((call) => [call.function.name, call.function.arguments]),
  ];
}
