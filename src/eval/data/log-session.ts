import { dialectById, dialects } from "../../apis/index.ts";
import type { TranscriptLog } from "../../apis/logs/index.ts";
import { saidText } from "../../core/message-text.ts";
import type { Message } from "../../core/types.ts";
import type { ChatMessage } from "../types.ts";
import type { AgentSession } from "./agent-session.ts";

/** A log of any agent that precis can read, as a session; undefined where its format isn't known or nobody called a tool. */
export function logSession(log: TranscriptLog, id: string): AgentSession | undefined {
  if (!Object.values(dialects).some((candidate) => candidate.id === log.dialect)) return undefined;
  const session = logMessages(log, id);
  return session.messages.some((message) => message.tool_calls) ? session : undefined;
}

/** A log as a session, whether or not anybody called a tool. */
export function logMessages(log: TranscriptLog, id: string): AgentSession {
  const dialect = dialectById(log.dialect);
  const read = dialect.read as (message: unknown) => Message;
  const messages: ChatMessage[] = [];
  const people: number[] = [];
  const summaries = new Set<number>();
  const starts: number[] = [];
  const times: (number | undefined)[] = [];
  for (const [index, wire] of log.messages.entries()) {
    starts.push(messages.length);
    const message = read(wire);
    for (const chat of chatMessages(message)) {
      if (log.summaries?.includes(index)) summaries.add(messages.length);
      else if (chat.role === "user") people.push(messages.length);
      messages.push(chat);
      times.push(log.times?.[index]);
    }
  }
  const compactions = (log.compactions ?? []).flatMap((index) => starts[index] ?? []);
  return { id, messages, people, summaries, compactions, times };
}

/** A message in the Chat Completions format: results are messages of their own there. Media and reasoning are left out. */
export function chatMessages(message: Message): ChatMessage[] {
  const results = message.parts.flatMap((part): ChatMessage[] =>
    part.type === "tool-result" ? [{ role: "tool", tool_call_id: part.id, content: part.text }] : [],
  );
  const content = saidText(message);
  const calls = message.parts.flatMap((part) =>
    part.type === "tool-call"
      ? [{ id: part.id, type: "function" as const, function: { name: part.name, arguments: part.args } }]
      : [],
  );
  if (content === "" && calls.length === 0) return results;
  const role = message.role === "tool" ? "user" : message.role;
  return [...results, { role, content, ...(calls.length > 0 && { tool_calls: calls }) }];
}
