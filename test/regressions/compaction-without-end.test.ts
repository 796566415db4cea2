/** `started` was told and nothing after it: a page would show a compaction for ever. */
import { expect, it } from "vitest";
import { gatedModel } from "../summaries/gated-model.ts";
import { createStage, type Stage } from "../summaries/stage.ts";

const count = ({ events }: Stage, ...names: string[]) =>
  events.filter((event) => names.some((name) => event.startsWith(name))).length;
/** Every beginning has exactly one end, and none comes before its beginning. */
function expectEnds(stage: Stage): void {
  let open = 0;
  for (const event of stage.events) {
    if (event.startsWith("started")) open++;
    else open--;
    expect(open, stage.events.join(", ")).toBeGreaterThanOrEqual(0);
  }
  expect(open, stage.events.join(", ")).toBe(0);
  expect(count(stage, "started")).toBeGreaterThan(0);
}

it("a summary that was written in the background has its end when it is there", async () => {
  const stage = createStage({ summarizer: gatedModel() });
  await stage.fillTo(0.81);
  await stage.fit();
  await stage.compactor.settled();
  expectEnds(stage);
  await stage.fit();
  expectEnds(stage);
  expect(count(stage, "completed")).toBe(2);
});

it("a compaction that doesn't wait for the model has its end, and so has the summary", async () => {
  const model = gatedModel({ state: "held" });
  const stage = createStage({ summarizer: model });
  await stage.fillTo(1.1);
  expect((await stage.fit()).report.outcome).toBe("compacted");
  model.release();
  await stage.compactor.settled();
  expectEnds(stage);
});

it.each(["open", "failing"] as const)("a person's compaction has its end (model: %s)", async (state) => {
  const stage = createStage({ summarizer: gatedModel({ state }) });
  await stage.fillTo(0.6);
  await stage.compactor.compact(stage.transcript, { now: stage.clock.now() });
  await stage.compactor.settled();
  expectEnds(stage);
  expect(count(stage, "failed")).toBe(state === "failing" ? 1 : 0);
});

it("a compaction that is given up, and one whose compactor is closed, are cancelled once", async () => {
  const model = gatedModel({ state: "held" });
  const stage = createStage({ summarizer: model });
  await stage.fillTo(0.6);
  const controller = new AbortController();
  const now = stage.clock.now();
  const asked = stage.compactor.compact(stage.transcript, { now, signal: controller.signal });
  await expect.poll(() => model.requests).toHaveLength(1);
  controller.abort(new Error("Never mind."));
  await expect(asked).rejects.toThrow("Never mind.");
  expectEnds(stage);
  const prepared = stage.compactor.prepare(stage.transcript, { now });
  await expect.poll(() => model.requests).toHaveLength(2);
  await stage.compactor.close();
  await prepared;
  expectEnds(stage);
  expect(count(stage, "cancelled")).toBe(2);
});
