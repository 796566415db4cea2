/**
 * What is left of talk without tools at a quarter of its size: CompactBench's needs by tier and family, views that show a
 * plan without the one that replaced it, and the evidence that LoCoMo's questions ask for. No model, no clock: the same on
 * every machine. `node bench/compacted-talk.ts`; reads the recorded data beside the project.
 */
import type { TokenCounter } from "../src/core/types.ts";
import { precis } from "../src/eval/contestants/precis.ts";
import { evidenceByText } from "../src/eval/measures/talk-measures.ts";
import { findSets } from "../src/eval/node/find-sets.ts";
import { deliver, tokensOf } from "../src/eval/run-retention.ts";
import { scoredView } from "../src/eval/tally.ts";
import type { ProbeCase } from "../src/eval/types.ts";
import { exactCounter } from "../src/tokens/index.ts";
import { type CompactCase, compactCases, DATA, isMet, isStale } from "./compacted-talk/cases.ts";
import { round } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

const SHARES = [0.25, 0.5];

const counter = await exactCounter("o200k_base");
const cases = compactCases();
if (cases === undefined) writeResult({ skipped: `no recorded data in ${DATA}` });
else {
  const compactbench: Record<string, unknown> = {};
  for (const share of SHARES) compactbench[`${share * 100} %`] = await needsMet(cases, share, counter);
  writeResult({ compactbench, locomo: await evidence(0.25, counter) });
}

async function needsMet(all: readonly CompactCase[], share: number, count: TokenCounter) {
  const contestant = precis({ counter: count });
  const tiers: Record<string, Record<string, { met: number; items: number; stale: number }>> = {};
  for (const one of all) {
    const input = {
      type: "probes",
      session: one.id,
      messages: one.messages,
      from: 0,
      to: one.messages.length,
      probes: [],
    } as const;
    const { text } = await deliver(contestant, input, Math.floor(tokensOf(input, count) * share), count);
    const families = tiers[one.tier] ?? {};
    tiers[one.tier] = families;
    const family = families[one.family] ?? { met: 0, items: 0, stale: 0 };
    families[one.family] = family;
    family.items += one.items.length;
    family.met += one.items.filter(({ needs }) => isMet(needs, text)).length;
    family.stale += isStale(one, text) ? 1 : 0;
  }
  return Object.fromEntries(
    Object.entries(tiers).map(([tier, families]) => {
      const sum = Object.values(families).reduce((a, b) => ({
        met: a.met + b.met,
        items: a.items + b.items,
        stale: a.stale + b.stale,
      }));
      return [
        tier,
        {
          "needs met": round(sum.met / sum.items),
          "stale views": sum.stale,
          families: Object.fromEntries(
            Object.entries(families).map(([name, { met, items }]) => [name, round(met / items)]),
          ),
        },
      ];
    }),
  );
}

async function evidence(share: number, count: TokenCounter) {
  const contestant = precis({ counter: count });
  let sum = 0;
  let weight = 0;
  for (const set of findSets(DATA).filter(({ id }) => id === "probes/locomo-dev"))
    for (const one of set.cases(1)) {
      const { text } = await deliver(contestant, one, Math.floor(tokensOf(one, count) * share), count);
      const seen = evidenceByText.observe(one as ProbeCase, scoredView(text));
      sum += seen?.sum ?? 0;
      weight += seen?.weight ?? 0;
    }
  return { share, "evidence, by words": round(sum / weight) };
}
