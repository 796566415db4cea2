import { expect, it } from "vitest";
import { DIALECT_IDS } from "../support/dialects.ts";
import { byProof, PROOF } from "../support/proof.ts";
import { type Case, makeCase, needed, onlyImpossible, toFill, viewOf } from "./case.ts";
import { judgeView } from "./judge-view.ts";

/**
 * A second opinion: conversations from a generator of its own, views judged by what the providers' documents say. Nothing
 * that precis reads, counts or checks with takes part in the verdict.
 */
const CASES = Number(process.env["PRECIS_CASES"] ?? byProof({ sample: 24, more: 200, all: 5_000 }));
/** Each level tries cases of its own, unless another seed is asked for. A failure names its seed. */
const FIRST_SEED = Number(
  process.env["PRECIS_SEED"] ?? { sample: 1_000_000, more: 2_000_000, all: 3_000_000 }[PROOF],
);

/** Faults of one case; undefined where there is rightly no view. */
async function tryCase(test: Case): Promise<string[] | undefined> {
  const { wire, dialect, options, input, way } = test;
  const sent = JSON.stringify(wire.messages);
  const result = await viewOf(test).catch(onlyImpossible);
  const faults = JSON.stringify(wire.messages) === sent ? [] : ["the transcript was changed"];
  const budget = way === "fill" ? toFill(options.budget) : options.budget;
  if (result === undefined) {
    const rightly = options.strategy === "none" || needed(test) > budget / 2;
    return rightly
      ? undefined
      : [...faults, `impossible, although only ${needed(test)} of ${budget} must be shown`];
  }
  return [
    ...faults,
    ...judgeView({ dialect, wire, budget, result, ...(input.pins && { pins: input.pins }) }),
  ];
}

it.each(DIALECT_IDS)(`%s: ${CASES} views are what the provider takes`, async (dialect) => {
  const failures: string[] = [];
  let judged = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
    const faults = await tryCase(makeCase(seed, dialect)).catch((error: Error) => [
      error.stack ?? error.message,
    ]);
    if (faults !== undefined) judged++;
    if (faults !== undefined && faults.length > 0) failures.push(`seed ${seed}: ${faults.join("; ")}`);
  }
  expect(failures).toEqual([]);
  // A generator that only makes impossible budgets would prove nothing.
  expect(judged).toBeGreaterThan(CASES / 2);
});
