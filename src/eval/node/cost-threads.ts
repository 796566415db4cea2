import { once } from "node:events";
import { availableParallelism } from "node:os";
import { basename } from "node:path";
import { parentPort, Worker, workerData } from "node:worker_threads";
import type { TokenCounter } from "../../core/types.ts";
import { charsCounter, exactCounter } from "../../tokens/index.ts";
import { type CostSession, type Cut, chainSessions, sessionTokens } from "../cost/cost-session.ts";
import { costPolicies } from "../cost/policy.ts";
import {
  type CostOptions,
  type CostResult,
  costOfSession,
  costResult,
  type SessionCost,
} from "../cost/run-cost.ts";
import { type AgentSession, chatMessage, isAgentSession, isAnchorCase } from "../data/sessions.ts";
import type { Count } from "../types.ts";
import { filesBelow, readFolder, readRecords } from "./data-files.ts";
import { logsIn } from "./find-sets.ts";

/** The built package has no `.ts`. */
const FILE = import.meta.url.endsWith(".ts") ? "./cost-threads.ts" : "./cost-threads.js";
/** What recorded sessions of coding agents have on average. */
const CHARS_PER_TOKEN = 3.5;

/** What a thread is started with: plain data, from which it reads the sessions for itself. */
interface CostRun extends Pick<CostOptions, "window" | "head" | "reserve" | "prices"> {
  readonly data: string;
  readonly everyNth: number;
  readonly chained: boolean;
  readonly counter: "o200k" | "chars";
}

interface Hooks {
  readonly signal: AbortSignal;
  readonly onProgress: (label: string, done: number, total: number) => void;
}

/** What all sessions of a folder cost, a thread for each core. Undefined where the folder has none that is long enough. */
export async function costInThreads(
  name: string,
  run: CostRun,
  { signal, onProgress }: Hooks,
): Promise<CostResult | undefined> {
  const counter = await counterOf(run);
  const total = costRuns(run.data, counter.count, run).length;
  if (total === 0) return undefined;
  const costs: SessionCost[] = [];
  let next = 0;
  let done = 0;
  const serve = async (): Promise<void> => {
    const thread = new Worker(new URL(FILE, import.meta.url), {
      workerData: { costsOf: run },
      execArgv: [],
    });
    try {
      while (next < total) {
        const session = next++;
        onProgress(`${name}, ${run.window}`, done, total);
        thread.postMessage(session);
        const [cost] = (await once(thread, "message", { signal })) as [SessionCost];
        costs[session] = cost;
        done++;
      }
    } finally {
      await thread.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(total, availableParallelism()) }, serve));
  return costResult({ ...run, name, policies: costPolicies, counter }, costs);
}

const counterOf = async ({ counter }: CostRun): Promise<TokenCounter> =>
  counter === "chars" ? charsCounter({ charsPerToken: CHARS_PER_TOKEN }) : exactCounter("o200k_base");

const own = (workerData as { readonly costsOf?: CostRun } | null)?.costsOf;
if (own && parentPort) {
  const port = parentPort;
  const reading = counterOf(own).then((counter) => ({
    options: { ...own, counter, policies: costPolicies },
    sessions: costRuns(own.data, counter.count, own),
  }));
  port.on("message", async (session: number) => {
    const { options, sessions } = await reading;
    port.postMessage(await costOfSession(sessions[session]!, options));
  });
}

type RawMessage = Parameters<typeof chatMessage>[0] & { readonly ts?: string | number };

/** Sessions below this never get near a window (tokens). */
export const LEAST_TOKENS = 50_000;
/** Sessions are joined to chains of at least this length (tokens). */
const CHAIN_TOKENS = 500_000;

/** The long sessions of a folder, every `everyNth` of them: each by itself, or joined to days of work. */
function costRuns(
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
