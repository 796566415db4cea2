import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BudgetImpossibleError } from "../../src/core/errors.ts";
import type { Entry, Placement, StrategyName } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { hostileWire } from "../../src/testing/arbitraries/index.ts";
import { checkImpossible, checkView } from "../../src/testing/index.ts";
import { counterOf } from "../support/count.ts";
import { DIALECT_IDS, dialectOf } from "../support/dialects.ts";
import { fakeModel, REPLY_KINDS } from "../support/fake-model.ts";
import { markedIndexes } from "../support/judge-fit.ts";
import { byProof } from "../support/proof.ts";
import { STRATEGIES } from "../support/property-suite.ts";

const RUNS = byProof({ sample: 10, more: 250, all: 10_000 });
const START = 1_700_000_000_000;
const SMALLEST_BUDGET = 60;

const how = fc.record({
  share: fc.double({ min: 0.1, max: 0.8, noNaN: true }),
  strategy: fc.oneof(
    fc.constant<StrategyName>("summarize-oldest"),
    fc.constantFrom(...STRATEGIES.filter((name) => name !== "none")),
  ),
  placement: fc.constantFrom<Placement>("user", "user", "system", "merged"),
  /** Whether the host hands its state back, as JSON, or leaves it to the compactor's own store. */
  keepsState: fc.boolean(),
  /** Messages that come at once. */
  stride: fc.integer({ min: 1, max: 4 }),
  /** Minutes between calls: long pauses make other moments of compaction. */
  pause: fc.constantFrom(0, 1, 10),
  /** Who writes summaries: nobody, or a model that answers well or badly. */
  model: fc.option(
    fc.record({ kind: fc.constantFrom(...REPLY_KINDS), window: fc.constantFrom(300, 2_000, 100_000) }),
    {
      nil: undefined,
    },
  ),
  waitMs: fc.constantFrom(0, 0, 20),
});

/** How each message is shown that is: whole, or edited. */
function shownAs(entries: readonly Entry[]): ReadonlyMap<number, string> {
  return new Map(
    entries.flatMap((one) => (one.type === "keep" || one.type === "edit" ? [[one.index, one.type]] : [])),
  );
}

/** A hostile conversation as it grows: every view on the way is valid, and only a compaction rewrites what was sent. */
describe.each(DIALECT_IDS)("%s", (id) => {
  it("hostile conversations stay valid and stable while they grow", { timeout: 7_200_000 }, async () => {
    const dialect = dialectOf(id);
    const property = fc.asyncProperty(hostileWire(id), how, async (wire, options) => {
      const count = counterOf(dialect);
      const total = wire.messages.reduce((sum, message) => sum + count(message), 0);
      const budget = Math.max(SMALLEST_BUDGET, Math.round(total * options.share));
      const { strategy, placement } = options;
      const { model, waitMs } = options;
      const compactor = createCompactor<object>({
        dialect,
        budget,
        strategy,
        placement,
        waitMs,
        ...(model && { summarizer: fakeModel(model.kind, model.window) }),
      });
      let state: unknown;
      let previous:
        | {
            bytes: string;
            checkpoint: string | undefined;
            shown: ReadonlyMap<number, string>;
            length: number;
          }
        | undefined;
      for (let length = 1; length <= wire.messages.length; length += options.stride) {
        const transcript = wire.messages.slice(0, length);
        const { system } = wire;
        const now = START + length * options.pause * 60_000;
        const lastRequestAt = now - options.pause * 60_000;
        const claim = { dialect: id, transcript, system, budget, count, pinned: markedIndexes(transcript) };
        try {
          const result = await compactor.fit(transcript, {
            now,
            lastRequestAt,
            ...(system !== undefined && { system }),
            ...(options.keepsState && { state }),
          });
          expect(checkView({ ...claim, result }), `length ${length}`).toEqual([]);
          const bytes = JSON.stringify([result.system ?? null, ...result.messages]).slice(0, -1);
          const { outcome, checkpoint, prefixReason } = result.report;
          const shown = shownAs(result.report.entries);
          if (previous !== undefined && !bytes.startsWith(previous.bytes)) {
            // A checkpoint that newer messages made invalid is left, and what they need of older ones comes back.
            const left = checkpoint !== previous.checkpoint;
            const before = previous;
            const cameBack = [...shown].some(
              ([index, how]) =>
                index < before.length &&
                how !== before.shown.get(index) &&
                before.shown.get(index) !== "keep",
            );
            expect(
              outcome === "compacted" || left || cameBack,
              `length ${length}: the prefix changed for no reason`,
            ).toBe(true);
            if (options.keepsState) expect(prefixReason, `length ${length}`).toBeDefined();
          }
          previous = { bytes, checkpoint, shown, length };
          // Sometimes the host waits for the background, sometimes it goes on at once.
          const next = length % 2 === 0 ? await result.background : result.state;
          state = JSON.parse(JSON.stringify(next));
          expect(JSON.stringify(result.messages)).not.toContain("500 Internal Server Error");
        } catch (error) {
          if (!(error instanceof BudgetImpossibleError)) throw error;
          expect(checkImpossible(claim), `length ${length}`).toEqual([]);
        }
      }
      await compactor.close();
    });
    await fc.assert(property, {
      numRuns: RUNS,
      seed: Number(process.env["PRECIS_SEED"] ?? 11),
      endOnFailure: true,
    });
  });
});
