import { describe, expect, it } from "vitest";
import { judgeWire, type MessageBuilders } from "../../src/testing/index.ts";
import { BUILDERS } from "../support/dialects.ts";
import { judgeFit } from "../support/judge-fit.ts";
import { byProof } from "../support/proof.ts";

/** From one budget to the next. */
const STEP = byProof({ sample: 1.4, more: 1.15, all: 1.05 });
const LONG = "row of a table with several words\n".repeat(60);

/** Rounds of three parallel calls, so that any cut by count of messages falls into the middle of one. */
function parallel(b: MessageBuilders<object>, rounds: number): object[] {
  return Array.from({ length: rounds }, (_, round) => {
    const ids = ["a", "b", "c"].map((letter) => `${letter}${round}`);
    return [
      ...b.calls(ids.map((id) => ({ name: "read", args: { path: `${id}.ts` }, id }))),
      ...b.results(ids.toReversed().map((id) => ({ id, text: LONG, name: "read" }))),
    ];
  }).flat();
}

describe.each(Object.keys(BUILDERS))("%s", (id) => {
  const b = BUILDERS[id]!;
  it("no budget cuts a round in half", async () => {
    const messages = [b.user("Look at everything."), ...parallel(b, 10), b.user("So?")];
    for (let budget = 200; budget < 12_000; budget = Math.ceil(budget * STEP)) {
      for (const strategy of [
        "summarize-oldest",
        "truncate-oldest",
        "drop-middle",
        "tool-summaries",
      ] as const) {
        const { breaches, result } = await judgeFit({ dialect: id, messages, budget, strategy });
        expect(breaches, `budget ${budget}, ${strategy}`).toEqual([]);
        expect(result).toBeDefined();
        expect(judgeWire(id, result!.messages).faults, `budget ${budget}, ${strategy}`).toEqual([]);
      }
    }
  });

  it("orphans in the part that changes are no longer shown", async () => {
    const messages = [
      b.user("Begin."),
      b.result("ghost", LONG, "read"),
      b.call("read", {}, "never-answered"),
      b.assistant("Let me see."),
      ...parallel(b, 8),
      b.user("So?"),
    ];
    const { breaches, result } = await judgeFit({ dialect: id, messages, budget: 1_500 });
    expect(breaches).toEqual([]);
    expect(judgeWire(id, result!.messages).faults).toEqual([]);
    // Spoken for by the summary or dropped as orphans, but never shown.
    for (const entry of result!.report.entries) {
      if (entry.type === "insert") continue;
      if (entry.type === "drop") expect([1, 2]).toContain(entry.index);
      else expect([1, 2]).not.toContain(entry.index);
    }
  });
});
