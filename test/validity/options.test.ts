import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BudgetImpossibleError } from "../../src/core/errors.ts";
import type { CompactInput, CompactorOptions, HostState, Placement, Sized } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { profiles } from "../../src/profiles/index.ts";
import { hostileWire } from "../../src/testing/arbitraries/index.ts";
import { checkImpossible, checkView, deepFreeze } from "../../src/testing/index.ts";
import { counterOf } from "../support/count.ts";
import { DIALECT_IDS, dialectOf } from "../support/dialects.ts";
import { markedIndexes } from "../support/judge-fit.ts";
import { byProof } from "../support/proof.ts";
import { STRATEGIES } from "../support/property-suite.ts";

const RUNS = byProof({ sample: 40, more: 1_200, all: 60_000 });
const SEED = Number(process.env["PRECIS_SEED"] ?? 9);
const SMALLEST_BUDGET = 100;
const NOW = 1_700_000_000_000;

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const named = Object.values(profiles).filter((profile) => profile.name !== "stream");

const anyTuning = fc.record({
  profile: maybe(fc.constantFrom(...named)),
  strategy: maybe(fc.constantFrom(...STRATEGIES.filter((name) => name !== "none"))),
  placement: maybe(fc.constantFrom<Placement>("user", "system", "merged")),
  startAt: maybe(fc.double({ min: 0.05, max: 1, noNaN: true })),
  landAt: maybe(fc.double({ min: 0.05, max: 0.5, noNaN: true })),
  tail: maybe(
    fc.oneof(
      fc.integer({ min: 1, max: 30 }).map((messages) => ({ messages })),
      fc.integer({ min: 1, max: 6 }).map((turns) => ({ turns })),
      fc.integer({ min: 1, max: 6 }).map((rounds) => ({ rounds })),
      fc.integer({ min: 10, max: 5_000 }).map((tokens) => ({ tokens })),
      fc.double({ min: 0.05, max: 1, noNaN: true }).map((share) => ({ share })),
    ),
  ),
  triggers: maybe(fc.constantFrom({ messages: 3 }, { turns: 2 }, { messages: 8, turns: 4 })),
  images: maybe(fc.constantFrom({ keep: 1 }, { keep: "last-user-message" as const })),
  auto: maybe(fc.boolean()),
});
/** A landing that isn't below its start is refused, so it is brought below it. */
const tuning = anyTuning.map(({ startAt, landAt, ...rest }) => ({
  ...rest,
  startAt,
  landAt: startAt !== undefined && landAt !== undefined && landAt >= startAt ? startAt / 2 : landAt,
}));

const hostState: fc.Arbitrary<HostState> = fc.oneof(
  fc.constant("Step 2 of 5 is under way."),
  fc.constant<HostState>({
    title: "Plan",
    steps: [
      { text: "Cut", status: "done" },
      { text: "Glue", status: "open" },
    ],
  }),
);

const call = fc.record({
  mode: fc.constantFrom("fit", "compact", "rebuild"),
  pins: fc.array(fc.nat({ max: 40 }), { maxLength: 2 }),
  knowledge: fc.array(fc.nat({ max: 40 }), { maxLength: 1 }),
  extras: fc.integer({ min: 0, max: 2 }),
  hostState: maybe(hostState),
  focus: maybe(fc.constant("the compute function")),
  rejected: maybe(fc.constantFrom<boolean | { tokens: number }>(true, { tokens: 900 })),
  /** Fills a given budget instead of landing. */
  fill: maybe(fc.double({ min: 0.05, max: 1, noNaN: true })),
  share: fc.double({ min: 0.05, max: 1.2, noNaN: true }),
});

const present = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as T;

describe.each(DIALECT_IDS)("%s", (id) => {
  it("views stay valid whatever options and inputs are set", { timeout: 7_200_000 }, async () => {
    const dialect = dialectOf(id);
    const property = fc.asyncProperty(hostileWire(id), tuning, call, async (wire, options, how) => {
      const count = counterOf(dialect);
      const transcript = deepFreeze(wire.messages);
      const { system } = wire;
      const total = transcript.reduce((sum, message) => sum + count(message), 0);
      const budget = Math.max(SMALLEST_BUDGET, Math.round(total * how.share));
      const compactor = createCompactor<object>(
        present({ ...options, dialect, budget }) as CompactorOptions<object> & Sized,
      );
      const extras = Array.from({ length: how.extras }, (_, at) =>
        dialect.write({ role: "user", text: `Extra ${at}.` }),
      );
      const fill = how.mode === "compact" ? how.fill : undefined;
      const input = present({
        now: NOW,
        system,
        extras,
        pins: how.pins,
        knowledge: how.knowledge,
        hostState: how.hostState,
        focus: how.mode === "compact" ? how.focus : undefined,
        rejected: how.mode === "fit" ? how.rejected : undefined,
        budget: fill,
      }) as CompactInput<object>;
      const pinned = [...how.pins, ...how.knowledge, ...markedIndexes(transcript)].filter(
        (index) => index < transcript.length,
      );
      const snapshot = JSON.stringify(transcript);
      const claim = { dialect: id, transcript, system, extras, count, pinned };
      try {
        const method = how.mode as "fit" | "compact" | "rebuild";
        const result = await compactor[method](transcript, input);
        expect(checkView({ ...claim, snapshot, result, budget: result.report.budget.budget })).toEqual([]);
        if (fill === undefined) expect(result.report.budget.budget).toBe(budget);
      } catch (error) {
        if (!(error instanceof BudgetImpossibleError)) throw error;
        expect(checkImpossible({ ...claim, budget: error.budget })).toEqual([]);
      }
    });
    await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true });
  });
});
