import type { Prices } from "../../core/types.ts";
import type { Replay } from "../../eval/replay/simulate.ts";
import { cachedOf, costsOf, largest, totalsOf } from "../../eval/replay/totals.ts";
import type { ReplayRun } from "../api.ts";

/** A replay as the page shows it. Leading system messages aren't counted, as nowhere in the API. */
export function replayRun(
  replay: Replay,
  lead: number,
  prices: Prices | undefined,
): Omit<ReplayRun, "policy"> {
  const { requests, every } = replay;
  const totals = totalsOf(replay, prices);
  const cached = cachedOf(requests);
  const costs = prices && costsOf(requests, prices);
  return {
    requests: totals.requests,
    compactions: totals.compactions,
    impossible: replay.impossible.length * every,
    ...(every > 1 && { every }),
    tokens: { transcript: totals.sentWithout, view: totals.sent },
    peak: { transcript: largest(requests, ({ full }) => full), view: totals.largest },
    cost: totals.cost && { transcript: totals.cost.without.total, view: totals.cost.with.total },
    ...(totals.survival && { survival: totals.survival }),
    points: requests.map(({ at, full, tokens, budget, compaction }, nth) => ({
      messages: at - lead,
      transcript: full,
      view: tokens,
      budget,
      compacted: compaction !== undefined,
      cached: cached[nth]!,
      ...(costs && { cost: costs[nth]!.with.total }),
    })),
  };
}
