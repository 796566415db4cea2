import type { Draft } from "../../src/core/draft.ts";
import type { Message } from "../../src/core/types.ts";
import type { Conversation } from "../../src/engine/read/conversation.ts";
import type { Chosen } from "../../src/engine/recall/quoter.ts";
import { chooseRecalled } from "../../src/engine/recall/recall-for.ts";
import { createMemoryIndex, type MemoryIndex } from "../../src/recall/candidates.ts";
import { say } from "./summary-of.ts";

/** What automatic recall chooses for the newest message, as the view of a draft shows the others; four characters are a token. */
export function recalledFor(
  messages: readonly Message[],
  draft: unknown,
  allowance: number,
  index: MemoryIndex = indexOf(messages.slice(0, -1)),
): Promise<readonly Chosen[]> {
  return chooseRecalled(
    {
      indexes: { lend: (_name, _messages, work) => work(index) },
      conversation: {
        messages,
        structure: { start: 0 },
        chain: [],
        measure: { text: (text: string) => Math.ceil(text.length / 4) },
      } as unknown as Conversation,
      draft: draft as Draft,
      quoted: [],
      allowance,
    },
    async () => {},
  );
}

/** An index of these messages. */
export function indexOf(messages: readonly Message[]): MemoryIndex {
  const index = createMemoryIndex();
  for (const message of messages) index.add(message);
  return index;
}

/** A draft in which nothing is shown. */
export const allHidden = (messages: readonly Message[]) => ({
  fates: messages.map(() => ({ type: "drop", reason: "middle" })),
  inserts: [],
});

export const user = (text: string): Message => say("user", text);
export const assistant = (text: string): Message => say("assistant", text);
export const call = (id: string): Message => ({
  role: "assistant",
  parts: [{ type: "tool-call", id, name: "read", args: `{"file":"${id}.txt"}` }],
});
export const result = (id: string, text: string): Message => ({
  role: "tool",
  parts: [{ type: "tool-result", id, text }],
});

/** Work about something else than the questions, so that their words are rare. */
export const work: readonly Message[] = Array.from({ length: 40 }, (_, at) => [
  call(`c${at}`),
  result(`c${at}`, `Sheet ${at} has ${at * 3} rows about pumps, and nobody signed it in ${1900 + at}.`),
]).flat();

/** What is quoted where a view hides all that was said before. */
export async function quotedFor(
  question: string,
  past: readonly Message[],
  allowance = 2_000,
): Promise<string[]> {
  const messages = [...past, user(question)];
  return (await recalledFor(messages, allHidden(messages), allowance)).map(({ passage }) => passage.text);
}
