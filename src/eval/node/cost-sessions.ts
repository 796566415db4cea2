import { basename } from "node:path";
import { type CostSession, type Cut, chainSessions, sessionTokens } from "../cost/cost-session.ts";
import { type AgentSession, chatMessage, isAgentSession } from "../data/agent-session.ts";
import { isAnchorCase } from "../data/anchor-case.ts";
import type { Count } from "../types.ts";
import { filesBelow, readFolder, readRecords } from "./data-files.ts";
import { logsIn } from "./find-sets.ts";

type RawMessage = Parameters<typeof chatMessage>[0] & { readonly ts?: string | number };

/** Sessions below this never get near a window (tokens). */
export const LEAST_TOKENS = 50_000;
/** Sessions are joined to chains of at least this length (tokens). */
const CHAIN_TOKENS = 500_000;

/** The long sessions of a folder, every `everyNth` of them: each by itself, or joined to days of work. */
export function costRuns(
  dir: string,
  count: Count,
  { everyNth, chained }: { readonly everyNth: number; readonly chained: boolean },
): CostSession[] {
  const long = costSessions(dir).filter((one) => sessionTokens(one, count) >= LEAST_TOKENS);
  const sessions = long.filter((_, index) => index % everyNth === 0);
  return chained ? chainSessions(sessions, CHAIN_TOKENS, count) : sessions;
}

/** The agent sessions below a folder, with the times of their messages and the cuts of files of cases. */
function costSessions(dir: string): CostSession[] {
  const files = filesBelow(readFolder(dir));
  const holdsCases = (file: string) => basename(file).includes("cases");
  const cuts = new Map<string, Cut[]>();
  for (const record of files.filter(holdsCases).flatMap(readRecords)) {
    if (!isAnchorCase(record) || record.kind !== "cut" || record.anchors.length === 0) continue;
    const anchors = record.anchors.map(({ a, old, ctx }) => ({ text: a, old, neighbours: ctx }));
    cuts.set(record.session, [...(cuts.get(record.session) ?? []), { at: record.at, anchors }]);
  }
  return files
    .filter((file) => !holdsCases(file))
    .flatMap((file) => {
      const recorded = readRecords(file).filter(isAgentSession);
      if (recorded.length === 0) return logsIn(file).map(loggedSession);
      return recorded.map((record) => session(record as RawSession, cuts));
    });
}

/** A session of an agent's own log. */
function loggedSession({ id, messages, summaries, times = [] }: AgentSession): CostSession {
  const kept = messages.flatMap((message, index) =>
    summaries.has(index) || isEmpty(message) ? [] : [index],
  );
  return {
    id,
    messages: kept.map((index) => messages[index]!),
    times: kept.map((index) => times[index]),
    cuts: [],
  };
}

interface RawSession {
  readonly id: string;
  readonly messages: readonly RawMessage[];
}

function session({ id, messages }: RawSession, cuts: ReadonlyMap<string, readonly Cut[]>): CostSession {
  // Summaries that the agent wrote leave: the session runs as one transcript.
  const kept = messages.flatMap((message, index) =>
    message.flags?.compactSummary === true || isEmpty(message) ? [] : [index],
  );
  return {
    id,
    messages: kept.map((index) => chatMessage(messages[index]!)),
    times: kept.map((index) => timeOf(messages[index]!.ts)),
    cuts: (cuts.get(id) ?? [])
      .map(({ at, anchors }) => ({ at: kept.filter((index) => index < at).length, anchors }))
      .sort((a, b) => a.at - b.at),
  };
}

/** An assistant's message without words and calls was no answer. */
const isEmpty = ({
  role,
  content,
  tool_calls: calls,
}: Pick<RawMessage, "role" | "content" | "tool_calls">): boolean =>
  role === "assistant" && (content ?? "") === "" && (calls ?? []).length === 0;

function timeOf(ts: string | number | undefined): number | undefined {
  const time = typeof ts === "string" ? Date.parse(ts) : ts;
  return time === undefined || Number.isNaN(time) ? undefined : time;
}
