import type { TokenCounter } from "../core/types.ts";
import type { EvalSet } from "./eval-set.ts";
import { measuresFor } from "./measures/index.ts";
import { deliver, type SetResult, tokensOf } from "./run-retention.ts";
import { createTallies, type Named } from "./tally.ts";
import type { ChatMessage, Contestant, EvalCase } from "./types.ts";

/** What a chain is fed: a conversation that grows from `from` to `to`. */
export interface ChainInput {
  readonly messages: readonly ChatMessage[];
  readonly from: number;
  readonly to: number;
  /** Tokens of all of it. */
  readonly tokens: number;
  /** How many compactions to aim at. */
  readonly k: number;
  readonly counter: TokenCounter;
}

/** The last view of a conversation that was compacted again and again while it grew. */
export interface ChainEnd {
  readonly text: string;
  readonly compactions: number;
  /** What the view costs with everything around its texts: the budget of those that it is compared with. */
  readonly size: number;
}

/** A way of compacting a growing conversation again and again. */
export interface ChainContestant extends Named {
  run(input: ChainInput): Promise<ChainEnd>;
}

export interface ChainOptions {
  readonly sets: readonly EvalSet[];
  readonly chains: readonly ChainContestant[];
  /** Make views of the chain's final size at once, from the originals: what chaining could have reached. */
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

/** Retention after k compactions in a row, beside what one compaction to the same size retains. */
export async function runChain(options: ChainOptions): Promise<SetResult[]> {
  const results: SetResult[] = [];
  for (const set of options.sets) {
    if (set.type === "citations" || set.budgets === "recorded") continue;
    const cases = longest(set, options);
    if (cases.length === 0) continue;
    for (const chain of options.chains) results.push(await runSet(set, cases, chain, options));
  }
  return results;
}

async function runSet(
  set: EvalSet,
  cases: readonly EvalCase[],
  chain: ChainContestant,
  { atOnce, counter, lengths, onProgress }: ChainOptions,
): Promise<SetResult> {
  const id = `${set.id}, ${chain.id}`;
  const tallies = createTallies(measuresFor(set.type));
  for (const [index, evalCase] of cases.entries()) {
    for (const k of lengths) {
      const label = `k = ${k}`;
      const end = await endOf(chain, evalCase, k, counter);
      tallies.add(chain, label, evalCase, end);
      for (const contestant of atOnce) {
        tallies.add(contestant, label, evalCase, await deliver(contestant, evalCase, end.size, counter));
      }
    }
    onProgress?.(id, index + 1);
  }
  return {
    id,
    type: set.type,
    cases: cases.length,
    sessions: new Set(cases.map((evalCase) => evalCase.session)).size,
    measures: tallies.measures(),
    rows: tallies.rows(),
    differences: tallies.differences(),
  };
}

async function endOf(chain: ChainContestant, evalCase: EvalCase, k: number, counter: TokenCounter) {
  const { messages, from, to } = evalCase;
  const tokens = tokensOf(evalCase, counter);
  try {
    const end = await chain.run({ messages, from, to, tokens, k, counter });
    return { ...end, tokens: counter.count(end.text), budget: end.size };
  } catch (error) {
    return { text: "", compactions: 0, size: 1, tokens: 0, budget: 1, error };
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
