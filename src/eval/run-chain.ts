import type { TokenCounter } from "../core/types.ts";
import type { EvalSet } from "./eval-set.ts";
import { measuresFor } from "./measures/index.ts";
import { deliver, type SetResult, tokensOf } from "./run-retention.ts";
import { createTallies, type Named } from "./tally.ts";
import type { ChatMessage, Contestant, EvalCase } from "./types.ts";

/** What a chain is fed: a conversation that grows, and a window that it must always fit. */
export interface ChainInput {
  readonly messages: readonly ChatMessage[];
  readonly from: number;
  readonly to: number;
  /** Tokens that a view may have at any time. */
  readonly budget: number;
  readonly counter: TokenCounter;
}

/** The last view of a conversation that was compacted again and again while it grew. */
export interface ChainEnd {
  readonly text: string;
  readonly compactions: number;
  /** What the view costs with everything around its texts: the budget of those that it is compared with. */
  readonly size: number;
}

/** Someone who keeps a growing conversation inside a budget. */
export interface ChainContestant extends Named {
  run(input: ChainInput): Promise<ChainEnd>;
}

export interface ChainOptions {
  readonly sets: readonly EvalSet[];
  readonly chain: ChainContestant;
  /** Make views of the chain's final size at once, from the originals: what chaining could have reached at best. */
  readonly atOnce: readonly Contestant[];
  readonly counter: TokenCounter;
  /** How many compactions to aim at. */
  readonly lengths: readonly number[];
  /** Longest conversations of each set that are used. */
  readonly conversations: number;
  readonly everyNth?: number;
  readonly onProgress?: (set: string, cases: number) => void;
}

/** Shorter conversations would need windows that no model has. Tokens. */
const SHORTEST_CONVERSATION = 50_000;
/** Shares of the budget where a compaction starts and lands when no model is at hand and the budget is small. */
const STARTS_AT = 0.95;
const LANDS_AT = 0.3;

/** The budget that a conversation of `tokens` meets about `k` times. */
export function budgetForChain(tokens: number, k: number): number {
  return Math.floor(tokens / (STARTS_AT + (k - 1) * (STARTS_AT - LANDS_AT) + (STARTS_AT - LANDS_AT) / 2));
}

/** Retention after k compactions in a row, beside what one compaction to the same size retains. */
export async function runChain(options: ChainOptions): Promise<SetResult[]> {
  const results: SetResult[] = [];
  for (const set of options.sets) {
    if (set.type === "citations" || set.budgets === "recorded") continue;
    const cases = longest(set, options);
    if (cases.length > 0) results.push(await runSet(set, cases, options));
  }
  return results;
}

async function runSet(set: EvalSet, cases: readonly EvalCase[], options: ChainOptions): Promise<SetResult> {
  const { chain, atOnce, counter, lengths, onProgress } = options;
  const tallies = createTallies(measuresFor(set.type));
  let done = 0;
  for (const evalCase of cases) {
    const tokens = tokensOf(evalCase, counter);
    for (const k of lengths) {
      const label = `k = ${k}`;
      const budget = budgetForChain(tokens, k);
      const end = await endOf(chain, evalCase, budget, counter);
      tallies.add(chain, label, evalCase, end);
      for (const contestant of atOnce) {
        tallies.add(contestant, label, evalCase, await deliver(contestant, evalCase, end.size, counter));
      }
    }
    onProgress?.(`${set.id} chained`, ++done);
  }
  return {
    id: `${set.id} chained`,
    type: set.type,
    cases: cases.length,
    sessions: new Set(cases.map((evalCase) => evalCase.session)).size,
    measures: tallies.measures(),
    rows: tallies.rows(),
    differences: tallies.differences(),
  };
}

async function endOf(chain: ChainContestant, evalCase: EvalCase, budget: number, counter: TokenCounter) {
  const { messages, from, to } = evalCase;
  try {
    const end = await chain.run({ messages, from, to, budget, counter });
    return { ...end, tokens: counter.count(end.text), budget };
  } catch (error) {
    return { text: "", compactions: 0, size: budget, tokens: 0, budget, error };
  }
}

/** The longest cases of a set, at most one per session. */
function longest(set: EvalSet, { counter, conversations, everyNth = 1 }: ChainOptions): EvalCase[] {
  const bySession = new Map<string, { evalCase: EvalCase; tokens: number }>();
  for (const evalCase of set.cases(everyNth)) {
    const tokens = tokensOf(evalCase, counter);
    const known = bySession.get(evalCase.session);
    if (tokens >= SHORTEST_CONVERSATION && tokens > (known?.tokens ?? 0)) {
      bySession.set(evalCase.session, { evalCase, tokens });
    }
  }
  return [...bySession.values()]
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, conversations)
    .map(({ evalCase }) => evalCase);
}
