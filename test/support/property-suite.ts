import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StrategyName } from "../../src/core/types.ts";
import { hostileWire } from "../../src/testing/arbitraries/index.ts";
import { counterOf } from "./count.ts";
import { dialectOf } from "./dialects.ts";
import { type Case, judgeFit } from "./judge-fit.ts";
import { byProof, PROOF } from "./proof.ts";
import { recordValidity } from "./record.ts";
import { HANGS_AFTER_MS } from "./time-limits.ts";

/** Cases per dialect: a million in all at the highest level, unless `PRECIS_CASES` says otherwise. */
const RUNS = Number(process.env["PRECIS_CASES"] ?? byProof({ sample: 75, more: 4_000, all: 250_000 }));
const TIMEOUT_MS = byProof({ sample: HANGS_AFTER_MS, more: 1_800_000, all: 14_400_000 });
/** The same cases in every run, unless another seed is asked for. */
const SEED = Number(process.env["PRECIS_SEED"] ?? { sample: 1, more: 2, all: 3 }[PROOF]);

export const STRATEGIES: readonly StrategyName[] = [
  "none",
  "truncate-oldest",
  "drop-middle",
  "drop-all",
  "summarize-oldest",
  "summarize-and-drop",
  "tool-summaries",
];

const strategy = fc.oneof(
  { arbitrary: fc.constant<StrategyName>("summarize-oldest"), weight: 4 },
  { arbitrary: fc.constantFrom(...STRATEGIES), weight: 4 },
);

/** Shares of the transcript: mostly too small, sometimes absurdly so, sometimes ample. */
const share = fc.oneof(
  { arbitrary: fc.double({ min: 0.02, max: 1.3, noNaN: true }), weight: 6 },
  { arbitrary: fc.constantFrom(0.001, 0.1, 0.5, 1, 1.001, 3), weight: 2 },
);

const SMALLEST_BUDGET = 20;

/** Any transcript, any budget, any strategy: the view is valid, or the budget was truly impossible. */
export function propertySuite(id: string): void {
  describe(`validity of ${id}`, () => {
    it(`holds for ${RUNS.toLocaleString("en")} hostile transcripts`, { timeout: TIMEOUT_MS }, async () => {
      const dialect = dialectOf(id);
      const tally = { cases: 0, impossible: 0, changed: 0 };
      const property = fc.asyncProperty(
        hostileWire(id),
        share,
        strategy,
        fc.constantFrom("fit" as const, "compact" as const),
        async (wire, ratio, name, mode) => {
          const count = counterOf(dialect);
          const total = wire.messages.reduce((sum, message) => sum + count(message), 0);
          const budget = Math.max(SMALLEST_BUDGET, Math.round(total * ratio));
          const test: Case = { ...wire, dialect: id, budget, strategy: name, mode };
          const { breaches, result } = await judgeFit(test, count);
          tally.cases++;
          if (result === undefined) tally.impossible++;
          else if (result.report.outcome === "compacted") tally.changed++;
          expect(breaches, `budget ${budget}, strategy ${name}, ${mode}`).toEqual([]);
        },
      );
      await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true });
      recordValidity(`properties ${id}`, { ...tally, seed: SEED, breaches: 0 });
      expect(tally.changed).toBeGreaterThan(tally.cases / 10);
    });
  });
}
