import type { ChatMessage as WireMessage } from "../../apis/chat/read.ts";
import type { TokenCounter } from "../../core/types.ts";
import { createEngineMemory, type EngineMemory } from "../../engine/engine.ts";
import { messagesText } from "../message-text.ts";
import { answerStarts, commonTokens } from "../replay/simulate.ts";
import type { Block, Report } from "../report/report.ts";
import type { ChatMessage } from "../types.ts";
import {
  type CachePrices,
  type CostSession,
  messageTokens,
  requestCost,
  summaryCost,
  sumOf,
} from "./cost-session.ts";
import type { CostPolicy } from "./policy.ts";

/** What a run needs. */
export interface CostOptions {
  readonly name: string;
  /** The first one is what the others are compared with. */
  readonly policies: readonly CostPolicy[];
  /** The model's window, and what of it isn't for messages: system prompt with tools, room for the answer. */
  readonly window: number;
  readonly head: number;
  readonly reserve: number;
  readonly prices: CachePrices;
  readonly counter: TokenCounter;
}

/** One policy over all sessions. */
interface CostRow {
  readonly policy: string;
  readonly label: string;
  /** Cost as a share of the first policy's. */
  readonly cost: number;
  /** The same with the summaries written by the conversation's own model, where there are any. */
  readonly costWithModel: number | undefined;
  readonly compactions: number;
  /** Prompt tokens of all requests. */
  readonly sent: number;
  /** Share of them that was read from the cache. */
  readonly cached: number;
  /** Mean share of the needed names that the view holds, at moments when the transcript is larger than the budget. */
  readonly anchors: number | undefined;
  /** Requests that couldn't be made to fit. */
  readonly impossible: number;
}

export interface CostResult {
  readonly name: string;
  readonly window: number;
  readonly budget: number;
  readonly head: number;
  readonly prices: CachePrices;
  readonly counter: string;
  readonly sessions: number;
  readonly requests: number;
  /** Requests that came after the cache had expired. */
  readonly cold: number;
  /** Moments at which anchors were looked up. */
  readonly cuts: number;
  readonly rows: readonly CostRow[];
}

/** What is added up over the sessions of a policy. */
const NOTHING = {
  cost: 0,
  summaries: 0,
  compactions: 0,
  sent: 0,
  cached: 0,
  impossible: 0,
  anchors: 0,
  cuts: 0,
  requests: 0,
  cold: 0,
};
type Tally = typeof NOTHING;

/** What one session cost under each policy: plain data, which a thread can hand over. */
export type SessionCost = readonly Tally[];
/** What is needed to walk a session. */
type Walk = Omit<CostOptions, "name">;

/** Walks one session under every policy: one request before each answer of the model. What one of them has read of it, the next one knows. */
export async function costOfSession(session: CostSession, options: Walk): Promise<SessionCost> {
  const memory = createEngineMemory();
  const tallies: Tally[] = [];
  for (const policy of options.policies) {
    const tally = { ...NOTHING };
    await walk(session, policy, { ...options, budget: budgetOf(options), memory }, tally);
    tallies.push(tally);
  }
  return tallies;
}

const budgetOf = ({ window, head, reserve }: Pick<CostOptions, "window" | "head" | "reserve">): number =>
  window - head - reserve;

/** What all sessions cost together, by policy. */
export function costResult(options: CostOptions, costs: readonly SessionCost[]): CostResult {
  const { name, policies, window, head, prices, counter } = options;
  const tallies = policies.map((_, at) => costs.map((tallies) => tallies[at]!).reduce(together, NOTHING));
  const [base = NOTHING] = tallies;
  return {
    name,
    window,
    budget: budgetOf(options),
    head,
    prices,
    counter: counter.id,
    sessions: costs.length,
    requests: base.requests,
    cold: base.cold,
    cuts: base.cuts,
    rows: policies.map(({ id, label, summarizes }, index): CostRow => {
      const { cost, summaries, compactions, sent, cached, anchors, cuts, impossible } = tallies[index]!;
      return {
        policy: id,
        label,
        cost: cost / base.cost,
        costWithModel: summarizes ? (cost + summaries) / base.cost : undefined,
        compactions,
        sent,
        cached: sent > 0 ? cached / sent : 0,
        anchors: cuts > 0 ? anchors / cuts : undefined,
        impossible,
      };
    }),
  };
}

function together(a: Tally, b: Tally): Tally {
  const sum = { ...a };
  for (const name of Object.keys(sum) as (keyof Tally)[]) sum[name] += b[name];
  return sum;
}

async function walk(
  { messages, times, cuts }: CostSession,
  policy: CostPolicy,
  options: Walk & { readonly budget: number; readonly memory: EngineMemory },
  tally: Tally,
): Promise<void> {
  const { head, budget, prices, counter, memory } = options;
  const tokens = messages.map((message) => messageTokens(message, counter.count));
  const known = new WeakMap<object, number>(messages.map((message, index) => [message, tokens[index]!]));
  const tokensOf = (message: WireMessage): number => {
    const found = known.get(message) ?? messageTokens(plain(message), counter.count);
    known.set(message, found);
    return found;
  };
  const sizeOf = (view: readonly WireMessage[]): number =>
    view.reduce((total, message) => total + tokensOf(message), 0);
  const run = policy.open({ messages, tokens, budget, counter, prices, memory });
  const waiting = cuts.filter(({ at }) => sumOf(tokens, 0, at) > budget);
  let before: readonly WireMessage[] | undefined;
  let shown = 0;
  let last: number | undefined;
  const score = (until: number): void => {
    while (waiting[0] !== undefined && waiting[0].at <= until) {
      const { at, anchors } = waiting.shift()!;
      if (before === undefined) continue;
      const text = `${messagesText(before)}\n${messagesText(messages.slice(shown, at))}`;
      tally.anchors += anchors.filter((anchor) => text.includes(anchor.text)).length / anchors.length;
      tally.cuts++;
    }
  };
  for (const to of answerStarts(messages, { joined: false })) {
    const now = times[to - 1] ?? times[to];
    // What was sent last, and what came since, is what the model had when the cut came.
    score(to - 1);
    const view = await run.view(to, { now, last });
    if (view === undefined) {
      tally.impossible++;
      continue;
    }
    const isCold =
      before === undefined || (now !== undefined && last !== undefined && now - last > prices.ttlMs);
    const prompt = head + sizeOf(view.messages);
    const cached = isCold ? 0 : head + commonTokens(before ?? [], view.messages, tokensOf);
    tally.requests++;
    if (before !== undefined && isCold) tally.cold++;
    tally.cost += requestCost({ input: prompt, cacheRead: cached, output: tokens[to]! }, prices);
    tally.sent += prompt;
    tally.cached += cached;
    if (view.compacted) tally.compactions++;
    if (view.summarized) tally.summaries += summaryCost(head + sizeOf(before ?? []), isCold, prices);
    before = view.messages;
    shown = to;
    last = now ?? last;
  }
  score(messages.length);
}

/** A message of a view as its text and calls, to be counted like all others. */
function plain(message: WireMessage): ChatMessage {
  return { role: "user", content: messagesText([message]) };
}

const COLUMNS = ["", "cost", "by a model", "compactions", "sent, M", "cached", "anchors", "impossible"];

/** Every result for people: a line per policy. */
export const costReport = (results: readonly CostResult[]): Report => ({
  kind: "precis eval cost",
  title: "What whole sessions cost",
  facts: ["cost as a share of sending everything"],
  blocks: results.flatMap(section),
});

function section(result: CostResult): Block[] {
  const { name, window, budget, head, prices, counter, sessions, requests, cold, cuts, rows } = result;
  const ttl = Number.isFinite(prices.ttlMs)
    ? `cache of ${prices.ttlMs / 60_000} min`
    : "cache that never expires";
  return [
    {
      is: "heading",
      text: `${name}, window ${window} (${budget} for messages, ${head} before them)`,
    },
    {
      is: "note",
      text: `${sessions} sessions, ${requests} requests, ${cold} of them cold, anchors at ${cuts} moments; prices of ${prices.id} (read ${prices.read}, write ${prices.write}, output ${prices.output}), ${ttl}, tokens by ${counter}`,
    },
    {
      is: "table",
      columns: COLUMNS,
      rows: rows.map((row) => [
        row.label,
        row.cost.toFixed(3),
        row.costWithModel?.toFixed(3) ?? "",
        String(row.compactions),
        (row.sent / 1e6).toFixed(0),
        `${(100 * row.cached).toFixed(0)} %`,
        row.anchors === undefined ? "" : (100 * row.anchors).toFixed(1),
        row.impossible === 0 ? "" : String(row.impossible),
      ]),
    },
  ];
}
