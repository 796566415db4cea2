import { argumentNames } from "../argument-values.ts";
import type { AgentCase } from "../types.ts";
import type { AgentSession } from "./agent-session.ts";

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
