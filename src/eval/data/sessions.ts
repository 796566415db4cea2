import { dialectById, dialects } from "../../apis/index.ts";
import type { TranscriptLog } from "../../apis/logs/index.ts";
import { TranscriptError } from "../../core/errors.ts";
import { saidText } from "../../core/message-text.ts";
import type { Message } from "../../core/types.ts";
import { argumentNames } from "../message-text.ts";
import type { AgentCase, ChatMessage, ProbeCase } from "../types.ts";

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

interface ProbeRecord {
  readonly id: string;
  readonly dataset: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly probes: readonly {
    readonly q: string;
    readonly a: string;
    readonly type: string;
    readonly evidence: readonly number[];
  }[];
}

export function isProbeRecord(value: unknown): value is ProbeRecord {
  return typeof value === "object" && value !== null && "probes" in value && "messages" in value;
}

/** Two-speaker sets use their own names for the roles. */
function roleOf(role: string): ChatMessage["role"] {
  return role === "assistant" || role === "system" ? role : "user";
}

export function probeCase(record: ProbeRecord): ProbeCase & { readonly set: string } {
  return {
    type: "probes",
    set: record.dataset,
    session: record.id,
    messages: record.messages.map(({ role, content }) => ({ role: roleOf(role), content })),
    from: 0,
    to: record.messages.length,
    probes: record.probes.map(({ q, a, type, evidence }) => ({
      question: q,
      answer: a,
      kind: type,
      evidence,
    })),
  };
}

/** One line of a file of cases with the names that the next calls need. */
export interface AnchorCaseRecord {
  readonly kind: "cut" | "real-compaction";
  readonly session: string;
  /** Path of the session's file, relative to the file of cases. */
  readonly file: string;
  readonly start: number;
  readonly at: number;
  readonly anchors: readonly { readonly a: string; readonly old: boolean; readonly ctx: readonly string[] }[];
  readonly summaryAt?: number;
}

export function isAnchorCase(value: unknown): value is AnchorCaseRecord {
  return (
    typeof value === "object" && value !== null && "anchors" in value && "file" in value && "at" in value
  );
}

export function anchorCase(record: AnchorCaseRecord, session: AgentSession): AgentCase {
  const { start, at, summaryAt } = record;
  const names = argumentNames(session.messages);
  const recorded =
    summaryAt === undefined || summaryAt === null ? undefined : session.messages[summaryAt]?.content;
  return {
    type: "agent",
    kind: record.kind === "cut" ? "cut" : "compaction",
    session: record.session,
    messages: session.messages,
    from: start,
    to: at,
    anchors: record.anchors
      .filter(({ a }) => !names.has(a))
      .map(({ a, old, ctx }) => ({ text: a, old, neighbours: ctx })),
    people: session.people.filter((index) => index >= start && index < at),
    ...(recorded !== undefined && { recorded }),
  };
}
