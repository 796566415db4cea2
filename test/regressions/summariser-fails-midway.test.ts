import { expect, it } from "vitest";
import type { Model } from "../../src/core/types.ts";
import { plausible } from "../summaries/gated-model.ts";
import { BUDGET, createStage } from "../summaries/stage.ts";

/** A model that reads a long run in pieces and fails from the piece with this number on. */
function failingFrom(number: number): Model & { asked: number } {
  const model = {
    id: "fails-midway",
    window: 4_000,
    asked: 0,
    async complete(request: Parameters<Model["complete"]>[0]) {
      if (model.asked++ >= number) throw new Error("The model is down.");
      return { text: plausible(request), stop: "end" as const, usage: { input: 1, output: 1 } };
    },
  };
  return model;
}

it.each([0, 1, 2])(
  "a person's compaction happens though the summariser fails at piece %i, and says so",
  async (number) => {
    const model = failingFrom(number);
    const stage = createStage({ summarizer: model, summary: { merge: "segments" } });
    await stage.fillTo(0.7);
    const now = stage.clock.now();
    const { report, state } = await stage.compactor.compact(stage.transcript, { now });
    expect(model.asked).toBeGreaterThan(number);
    expect(report.outcome).toBe("compacted");
    expect(report.tokens.after).toBeLessThan(BUDGET / 2);
    expect(report.modelCalls.some(({ result }) => result === "failed")).toBe(true);
    expect(stage.events).toContain("failed The model is down.");
    expect(state.summaries).toHaveLength(number);
  },
);

it.each([1, 2])(
  "one record that takes in what is new keeps what %i pieces brought before the failure",
  async (number) => {
    const model = failingFrom(number);
    const stage = createStage({ summarizer: model, summary: { merge: "rolling" } });
    await stage.fillTo(0.7);
    const { report, state } = await stage.compactor.compact(stage.transcript, { now: stage.clock.now() });
    expect(report.outcome).toBe("compacted");
    expect(report.modelCalls.some(({ result }) => result === "failed")).toBe(true);
    expect(state.summaries.map(({ covers }) => covers.from)).toEqual([0]);
  },
);

it("what was asked for is told, though nothing could be gained by it", async () => {
  const model = failingFrom(0);
  const stage = createStage({ summarizer: model, strategy: "tool-summaries" });
  await stage.fillTo(0.3);
  const { report } = await stage.compactor.compact(stage.transcript, { now: stage.clock.now() });
  if (model.asked > 0) expect(report.modelCalls).toHaveLength(model.asked);
});
