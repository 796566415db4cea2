import type { AgentCase, ChatMessage } from "../../src/eval/types.ts";

/** Small conversations for the tests of src/eval. */

let calls = 0;

export function user(content: string): ChatMessage {
  return { role: "user", content };
}

export function say(content: string): ChatMessage {
  return { role: "assistant", content };
}

/** An assistant message with one call, and its result. */
export function round(name: string, args: Readonly<Record<string, string>>, result: string): ChatMessage[] {
  const id = `call_${++calls}`;
  return [
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
    },
    { role: "tool", tool_call_id: id, content: result },
  ];
}

/** A case that is cut after `before`. */
export function agentCase(
  before: readonly ChatMessage[],
  after: readonly ChatMessage[],
  more: Partial<AgentCase> = {},
): AgentCase {
  const messages = [...before, ...after];
  return {
    type: "agent",
    kind: "cut",
    session: "s1",
    messages,
    from: 0,
    to: before.length,
    anchors: [],
    people: messages.flatMap((message, index) =>
      message.role === "user" && index < before.length ? [index] : [],
    ),
    ...more,
  };
}
