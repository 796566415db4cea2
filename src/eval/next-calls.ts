import type { ChatMessage } from "./types.ts";

/** What follows a cut, in order: the calls, and the texts that the agent got to see between them. */
export type Following = { readonly type: "call"; readonly name: string; readonly args: string } | Seen;

interface Seen {
  readonly type: "seen";
  readonly text: string;
}

/** The next `calls` calls after `at`, with the tool results and user messages that came before the last of them. */
export function following(messages: readonly ChatMessage[], at: number, calls: number): Following[] {
  const list: Following[] = [];
  let left = calls;
  for (let i = at; i < messages.length && left > 0; i++) {
    const message = messages[i]!;
    if (message.role !== "assistant") {
      list.push({ type: "seen", text: message.content });
      continue;
    }
    for (const call of (message.tool_calls ?? []).slice(0, left)) {
      list.push({ type: "call", name: call.function.name, args: call.function.arguments });
      left--;
    }
  }
  return list;
}
