import { TranscriptError } from "../../core/errors.ts";
import type { ChatMessage } from "../types.ts";

/** A recorded session of a coding agent, as the documented data format has it. */
export interface AgentSession {
  readonly id: string;
  readonly messages: readonly ChatMessage[];
  /** Indexes of the messages that a person wrote. */
  readonly people: readonly number[];
  /** Indexes of the summaries that the agent's own compactions wrote. */
  readonly summaries: ReadonlySet<number>;
  /** Indexes of the first message after each of the agent's own compactions. */
  readonly compactions: readonly number[];
  /** Epoch milliseconds of the messages, as far as they were recorded. */
  readonly times?: readonly (number | undefined)[];
}

interface RawMessage {
  readonly role: ChatMessage["role"];
  readonly content?: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly name?: string;
    readonly arguments?: string;
    readonly function?: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
  readonly flags?: { readonly meta?: boolean; readonly compactSummary?: boolean };
}

/** A recorded message in the Chat Completions format. */
export function chatMessage(raw: RawMessage): ChatMessage {
  const calls = (raw.tool_calls ?? []).map((call) => ({
    id: call.id,
    type: "function" as const,
    function: call.function ?? { name: call.name ?? "", arguments: call.arguments ?? "" },
  }));
  return {
    role: raw.role,
    content: raw.content ?? "",
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(raw.tool_call_id !== undefined && { tool_call_id: raw.tool_call_id }),
  };
}

/** True for a record of this format. */
export function isAgentSession(value: unknown): boolean {
  return typeof value === "object" && value !== null && "agent" in value && "messages" in value;
}

export function parseAgentSession(value: unknown): AgentSession {
  if (!isAgentSession(value)) {
    throw new TranscriptError({
      message: "not an agent session.",
      fix: "Give `{ id, agent, messages: [{ role, content }] }`.",
    });
  }
  const raw = value as {
    id: string;
    messages: readonly RawMessage[];
    compactions?: readonly { at: number }[];
  };
  const people: number[] = [];
  const summaries = new Set<number>();
  raw.messages.forEach((message, index) => {
    if (message.flags?.compactSummary) summaries.add(index);
    else if (message.role === "user" && !message.flags?.meta) people.push(index);
  });
  return {
    id: raw.id,
    messages: raw.messages.map(chatMessage),
    people,
    summaries,
    compactions: (raw.compactions ?? []).map((compaction) => compaction.at),
  };
}
