import { openaiChat } from "../../apis/chat/index.ts";
import type { ChatMessage as WireMessage } from "../../apis/chat/read.ts";
import { defined } from "../../core/collections.ts";
import { BudgetImpossibleError } from "../../core/errors.ts";
import { STRATEGY_NAMES } from "../../core/options.ts";
import type { StrategyName, TokenCounter } from "../../core/types.ts";
import { createCompactorWith } from "../../engine/create-compactor.ts";
import type { EngineMemory } from "../../engine/engine.ts";
import { memoByObject } from "../message-text.ts";
import { orImpossible } from "../replay/simulate.ts";
import type { ChatMessage } from "../types.ts";
import { type CachePrices, sumOf } from "./cost-session.ts";

/** What a policy is told about the session that it serves. */
interface PolicyInput {
  readonly messages: readonly ChatMessage[];
  readonly tokens: readonly number[];
  /** Tokens that a view may have. */
  readonly budget: number;
  readonly counter: TokenCounter;
  readonly prices: CachePrices;
  /** What policies of one session remember of its texts together. */
  readonly memory: EngineMemory;
}

/** What is sent for one request. */
interface PolicyView {
  readonly messages: readonly WireMessage[];
  readonly compacted: boolean;
  /** The compaction needs a summary of messages, which a model could write. */
  readonly summarized: boolean;
}

/** A policy at work on one session: asked before each request, in order. `to`: messages so far. */
interface PolicyRun {
  view(
    to: number,
    times: { readonly now: number | undefined; readonly last: number | undefined },
  ): Promise<PolicyView | undefined>;
}

/** A way to decide what is sent. */
export interface CostPolicy {
  readonly id: string;
  readonly label: string;
  /** A model could write its summaries. */
  readonly summarizes: boolean;
  open(input: PolicyInput): PolicyRun;
}

/** Everything, as if the window had no end: what all others are compared with. */
export const everything: CostPolicy = {
  id: "everything",
  label: "send everything",
  summarizes: false,
  open: ({ messages }) => ({
    view: async (to) => ({ messages: messages.slice(0, to), compacted: false, summarized: false }),
  }),
};

/** The newest messages that fit: cut again at each request, or only when full, down to a share of the budget. */
export function keepLast(share?: number): CostPolicy {
  return {
    id: share === undefined ? "slide" : `keep-last-${share}`,
    label: share === undefined ? "keep last, cut at every request" : `keep last, cut to ${share * 100} %`,
    summarizes: false,
    open({ messages, tokens, budget }) {
      let from = 0;
      return {
        async view(to) {
          const size = sumOf(tokens, from, to);
          const isFull = size > budget;
          if (isFull) from = startFor(messages, tokens, to, budget * (share ?? 1));
          return { messages: messages.slice(from, to), compacted: isFull, summarized: false };
        },
      };
    },
  };
}

/** Where a view begins that has at most so many tokens, behind no call whose result it would show alone. */
function startFor(
  messages: readonly ChatMessage[],
  tokens: readonly number[],
  to: number,
  most: number,
): number {
  let size = 0;
  let from = to;
  for (let index = to - 1; index >= 0; index--) {
    size += tokens[index]!;
    if (size > most && from < to) break;
    if (messages[index]!.role !== "tool") from = index;
  }
  return from;
}

/** A recording doesn't change: each of its messages is read once, for all requests of all policies. */
const recorded = { ...openaiChat, read: memoByObject(openaiChat.read) };

/** The engine without a model, under one of its strategies. */
export function precisPolicy(strategy: StrategyName): CostPolicy {
  return {
    id: strategy,
    label: `precis, ${strategy}`,
    summarizes: SUMMARIZING.includes(strategy),
    open({ messages, budget, counter, prices, memory }) {
      const { read, write, output, ttlMs } = prices;
      const cache = { read, write, output, ttlMs: Math.min(ttlMs, MOST_TTL_MS) };
      const compactor = createCompactorWith(memory, { dialect: recorded, counter, budget, strategy, cache });
      let state: unknown;
      return {
        async view(to, { now, last }) {
          const result = await orImpossible(() =>
            compactor.fit(messages.slice(0, to), {
              now: now ?? to,
              ...defined({ state, lastRequestAt: last }),
            }),
          );
          if (result instanceof BudgetImpossibleError) return undefined;
          ({ state } = result);
          const compacted = result.report.outcome === "compacted";
          const summarized = result.report.rungs.some(
            ({ rung, result: outcome }) => rung === "extractive" && outcome === "used",
          );
          return { messages: result.messages, compacted, summarized: compacted && summarized };
        },
      };
    },
  };
}

/** A prompt cache that never expires lives this long for the engine, which takes no infinity (milliseconds). */
const MOST_TTL_MS = 1e12;

const SUMMARIZING: readonly StrategyName[] = ["summarize-oldest", "summarize-middle", "summarize-and-drop"];

/** All that are compared. The first is what the others are measured against. */
export const costPolicies: readonly CostPolicy[] = [
  everything,
  ...STRATEGY_NAMES.filter((name) => name !== "none").map(precisPolicy),
  keepLast(),
  keepLast(0.5),
  keepLast(0.3),
];
