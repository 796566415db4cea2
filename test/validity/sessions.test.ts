import { describe, expect, it } from "vitest";
import type { StrategyName } from "../../src/core/types.ts";
import { counterOf } from "../support/count.ts";
import { DIALECT_IDS, dialectOf } from "../support/dialects.ts";
import { judgeFit } from "../support/judge-fit.ts";
import { byProof } from "../support/proof.ts";
import { STRATEGIES } from "../support/property-suite.ts";
import { recordValidity } from "../support/record.ts";
import { hasSessions, readSessions, sessionFiles, sessionWire } from "../support/sessions.ts";

const SHARES = byProof({
  sample: [0.1, 0.5],
  more: [0.05, 0.25],
  all: [0.02, 0.05, 0.1, 0.25, 0.5, 1],
});
/** Those of the level, unless `PRECIS_STRATEGIES` names others. */
const STRATEGY_LIST: readonly StrategyName[] =
  (process.env["PRECIS_STRATEGIES"]?.split(",") as StrategyName[] | undefined) ??
  byProof<readonly StrategyName[]>({
    sample: ["summarize-oldest"],
    more: ["summarize-oldest", "drop-middle"],
    all: STRATEGIES,
  });
/** Every n-th file. */
const STRIDE = byProof({ sample: 50, more: 4, all: 1 });
const TIMEOUT_MS = 7_200_000;
const SMALLEST_BUDGET = 100;

if (!hasSessions) console.log("skipped: no data");

describe.skipIf(!hasSessions).each(DIALECT_IDS)("recorded sessions in %s", (id) => {
  it("every view of every session is valid", { timeout: TIMEOUT_MS }, async () => {
    const tally = { sessions: 0, cases: 0, impossible: 0, compacted: 0 };
    const breached: string[] = [];
    for (const file of sessionFiles().filter((_, at) => at % STRIDE === 0))
      for (const session of readSessions(file)) {
        const wire = sessionWire(id, session);
        const count = counterOf(dialectOf(id));
        const total = wire.messages.reduce((sum, message) => sum + count(message), 0);
        tally.sessions++;
        for (const share of SHARES)
          for (const strategy of STRATEGY_LIST) {
            const budget = Math.max(SMALLEST_BUDGET, Math.round(total * share));
            const { breaches, result } = await judgeFit({ ...wire, dialect: id, budget, strategy }, count);
            tally.cases++;
            if (result === undefined) tally.impossible++;
            else if (result.report.outcome === "compacted") tally.compacted++;
            if (breaches.length > 0)
              breached.push(`${session.name}, ${strategy} at ${share}: ${breaches.slice(0, 3).join("; ")}`);
          }
      }
    recordValidity(`sessions ${id}`, {
      ...tally,
      breaches: breached.length,
      shares: SHARES,
      strategies: STRATEGY_LIST,
    });
    expect(breached.slice(0, 20)).toEqual([]);
    expect(tally.compacted).toBeGreaterThan(0);
  });
});
