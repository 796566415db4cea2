import type { Message } from "../../src/core/types.ts";
import { summaryMessage } from "../../src/summaries/summary-message.ts";

/** A message of one text. */
export const say = (role: "system" | "user" | "assistant", text: string): Message => ({
  role,
  parts: [{ type: "text", text }],
});

let calls = 0;

/** A call with its result. */
export function toolRound(name: string, args: object, result: string, said = ""): Message[] {
  const id = `call_${calls++}`;
  return [
    {
      role: "assistant",
      parts: [
        ...(said === "" ? [] : [{ type: "text" as const, text: said }]),
        { type: "tool-call", id, name, args: JSON.stringify(args) },
      ],
    },
    { role: "tool", parts: [{ type: "tool-result", id, text: result }] },
  ];
}

/** The summary message of everything but the newest message, by a counter of four characters a token. */
export const summaryOf = (messages: readonly Message[], cap: number): string =>
  summaryUpTo(messages, messages.length - 1, cap);

/** The same of all messages. */
export const summaryOfAll = (messages: readonly Message[], cap: number): string =>
  summaryUpTo(messages, messages.length, cap);

function summaryUpTo(messages: readonly Message[], to: number, cap: number): string {
  const made = summaryMessage({
    messages,
    hidden: [{ from: 0, to }],
    visible: (index) => index >= to,
    cap,
    count: (text) => Math.ceil(text.length / 4),
  });
  return made?.text ?? "";
}
