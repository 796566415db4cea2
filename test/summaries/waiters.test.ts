import { expect, it } from "vitest";
import type { State } from "../../src/core/types.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import { chat } from "../../src/testing/index.ts";
import { HANGS_AFTER_MS } from "../support/time-limits.ts";
import { gatedModel } from "./gated-model.ts";
import { spyStore } from "./spy-store.ts";
import { createStage, type Stage } from "./stage.ts";

/** Long enough for what is already decided to arrive on a busy machine, and it says which waiter hangs. */
const SOON_MS = HANGS_AFTER_MS / 2;
const soon = <T>(promise: Promise<T>): Promise<T> =>
  Promise.race([
    promise,
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error("A waiter hangs.")), SOON_MS)),
  ]);

/** More steps than any waiter has to go before it waits. */
const MOST_STEPS = 1_000;

/** Everything that can wait for one summary, all at once. */
async function waiters(stage: Stage): Promise<{ all: Promise<unknown>[]; background: Promise<State> }> {
  const input = { now: stage.clock.now() };
  const first = await stage.fit();
  const second = await stage.fit();
  const all = [
    first.background,
    second.background,
    stage.compactor.prepare(stage.transcript, input),
    stage.compactor.compact(stage.transcript, input),
    stage.compactor.compact(stage.transcript, { ...input, focus: "modules" }),
    stage.compactor.settled(),
  ];
  // On a busy machine the work before a waiter waits is done in many steps, each in a turn of its own.
  for (let turn = 0; turn < MOST_STEPS; turn++) await new Promise(setImmediate);
  return { background: first.background, all };
}

it("one summary is written however many ask, and every one of them is resumed when it comes", async () => {
  const model = gatedModel({ state: "held" });
  const store = spyStore(memoryStore());
  const stage = createStage({ summarizer: model, store });
  await stage.fillTo(0.81);
  const { all, background } = await waiters(stage);
  expect(model.requests).toHaveLength(1);
  model.release();
  await soon(Promise.all(all));
  expect(model.requests).toHaveLength(1);
  const state = await background;
  expect(state.summaries).toHaveLength(1);
  expect(store.summaries()).toEqual(state.summaries);
  // The state is plain JSON: another process begins with it and pays nothing.
  const other = gatedModel();
  const again = createStage({ summarizer: other });
  again.transcript.splice(0, 1, ...stage.transcript);
  again.state = JSON.parse(JSON.stringify(state)) as State;
  expect((await again.fit()).report.outcome).toBe("compacted");
  expect(other.requests).toHaveLength(0);
});

it("every waiter is resumed when it fails, with the state as it was", async () => {
  const model = gatedModel({ state: "held" });
  const stage = createStage({ summarizer: model });
  await stage.fillTo(0.81);
  const { all, background } = await waiters(stage);
  model.fail();
  await soon(Promise.all(all));
  expect((await background).summaries).toEqual([]);
  expect(stage.events.filter((event) => event.startsWith("failed"))).toHaveLength(1);
});

it("every waiter is resumed when the compactor is closed, though the model heeds no signal", async () => {
  const model = gatedModel({ state: "held" });
  const stage = createStage({ summarizer: model });
  await stage.fillTo(0.81);
  const { all, background } = await waiters(stage);
  await soon(stage.compactor.close());
  await soon(Promise.all(all));
  expect((await background).summaries).toEqual([]);
  expect(stage.events).toContain("cancelled pressure");
});

it("a deadline ends a summary that never comes, though the model heeds no signal", async () => {
  const model = gatedModel({ state: "held" });
  const stage = createStage({ summarizer: model, summary: { deadlineMs: 50 } });
  await stage.fillTo(0.81);
  await stage.fit();
  await soon(stage.compactor.settled());
  expect(stage.events.join()).toMatch(/failed .*time/);
  // And the conversation isn't stuck with it: the next one is asked for.
  model.release();
  await stage.fillTo(0.87);
  await stage.fit();
  await soon(stage.compactor.settled());
  expect((await stage.fit()).report.outcome).toMatch(/compacted|view/);
});

it("a person who asked for a compaction can give up: told once, nothing stored, the next one works", async () => {
  const model = gatedModel({ state: "held" });
  const store = spyStore(memoryStore());
  const stage = createStage({ summarizer: model, store });
  await stage.fillTo(0.6);
  const controller = new AbortController();
  const asked = stage.compactor.compact(stage.transcript, {
    now: stage.clock.now(),
    signal: controller.signal,
  });
  await expect.poll(() => model.requests).toHaveLength(1);
  controller.abort(new Error("Never mind."));
  await expect(soon(asked)).rejects.toThrow("Never mind.");
  await soon(stage.compactor.settled());
  expect(stage.events).toEqual(["started forced", "cancelled forced"]);
  expect(store.checkpoints()).toEqual([]);
  model.release();
  const result = await soon(stage.compactor.compact(stage.transcript, { now: stage.clock.now() }));
  expect(result.report.outcome).toBe("compacted");
  expect(JSON.stringify(result.messages)).toContain("explained each of them in turn");
});

it.each(["first", "second"] as const)(
  "who gives up takes nobody else's summary along (the %s one does)",
  async (who) => {
    const model = gatedModel({ state: "held" });
    const stage = createStage({ summarizer: model });
    await stage.fillTo(0.6);
    const controllers = { first: new AbortController(), second: new AbortController() };
    const now = stage.clock.now();
    const asked = {
      first: stage.compactor.compact(stage.transcript, { now, signal: controllers.first.signal }),
      second: stage.compactor.compact(stage.transcript, { now, signal: controllers.second.signal }),
    };
    const other = asked[who === "first" ? "second" : "first"];
    await expect.poll(() => model.requests).toHaveLength(1);
    controllers[who].abort(new Error("Never mind."));
    await expect(soon(asked[who])).rejects.toThrow("Never mind.");
    model.release();
    const { report, messages } = await soon(other);
    expect(report.outcome).toBe("compacted");
    expect(JSON.stringify(messages)).toContain("explained each of them in turn");
    expect(model.requests).toHaveLength(1);
    expect(stage.events.filter((event) => event.startsWith("cancelled"))).toEqual([]);
  },
);

it("a compaction that a person asked for waits no longer than it was told to, then goes without", async () => {
  const model = gatedModel({ state: "held" });
  const stage = createStage({ summarizer: model });
  await stage.fillTo(0.6);
  const result = await soon(
    stage.compactor.compact(stage.transcript, { now: stage.clock.now(), waitMs: 30 }),
  );
  expect(result.report.outcome).toBe("compacted");
  expect(result.report.rungs.at(-1)?.rung).toBe("extractive");
  model.release();
  // What comes later isn't lost.
  expect((await soon(result.background)).summaries).toHaveLength(1);
});

it("a compaction that a person asked for waits as long as the compactor's own waitMs says, where it isn't told itself", async () => {
  const model = gatedModel({ state: "held" });
  const stage = createStage({ summarizer: model, waitMs: 30 });
  await stage.fillTo(0.6);
  const result = await soon(stage.compactor.compact(stage.transcript, { now: stage.clock.now() }));
  expect(result.report.outcome).toBe("compacted");
  expect(result.report.rungs.at(-1)?.rung).toBe("extractive");
  model.release();
  // Half of what it would wait by default.
}, 30_000);

it("a fit that finds a summary under way brings it to its own host, though it wanted none itself", async () => {
  const model = gatedModel({ state: "held" });
  const stage = createStage({ summarizer: model });
  await stage.fillTo(0.6);
  const prepared = stage.compactor.prepare(stage.transcript, { now: stage.clock.now() });
  await expect.poll(() => model.requests).toHaveLength(1);
  const { background, report } = await stage.fit();
  expect(report.outcome).toBe("pass");
  model.release();
  expect((await soon(background)).summaries).toHaveLength(1);
  await prepared;
});

it("completed carries the report and a state that another process can begin with", async () => {
  const stage = createStage({ summarizer: gatedModel() });
  const completed: { outcome: string; checkpoints: number; summaries: number }[] = [];
  stage.compactor.on("completed", ({ report, state }) =>
    completed.push({
      outcome: report.outcome,
      checkpoints: state.checkpoints.length,
      summaries: state.summaries.length,
    }),
  );
  await stage.fillTo(0.81);
  await stage.fit();
  await stage.compactor.settled();
  await stage.fit();
  expect(completed).toEqual([
    { outcome: "pass", checkpoints: 0, summaries: 1 },
    { outcome: "compacted", checkpoints: 1, summaries: 1 },
  ]);
});

it("observe checks after a reply and after each tool result, and the next fit finds the summary ready", async () => {
  const model = gatedModel();
  const stage = createStage({ summarizer: model });
  const seen: number[] = [];
  stage.compactor.on("pressure", ({ pressure }) => seen.push(pressure));
  await stage.fillTo(0.76);
  await stage.fit();
  stage.transcript.push(...chat.round("read", { path: "big.txt" }, "row of data\n".repeat(300), "call_1"));
  const input = { now: stage.clock.now(), ...(stage.state && { state: stage.state }) };
  await stage.compactor.observe({ transcript: stage.transcript, input });
  await stage.compactor.settled();
  expect(model.requests).toHaveLength(1);
  expect(seen.at(-1)).toBeGreaterThan(0.8);
  expect((await stage.fit()).report).toMatchObject({ outcome: "compacted" });
});

it("a model of the host's own may throw, answer nonsense or nothing at all", async () => {
  for (const reply of [undefined, null, {}, { text: 5 }, { text: "", stop: "end" }, "text"] as never[]) {
    const stage = createStage({
      summarizer: { id: "odd", window: 100_000, complete: async () => reply },
    });
    await stage.fillTo(0.81);
    await stage.fit();
    await stage.compactor.settled();
    const result = await stage.fit();
    expect(result.report.outcome).toBe("compacted");
    expect(result.state.summaries).toEqual([]);
  }
  const stage = createStage({
    summarizer: {
      id: "rude",
      window: 100_000,
      complete: () => {
        throw new Error("No.");
      },
    },
  });
  await stage.fillTo(0.81);
  await stage.fit();
  await stage.compactor.settled();
  expect((await stage.fit()).report.outcome).toBe("compacted");
});
