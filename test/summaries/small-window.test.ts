import { expect, it } from "vitest";
import { ModelError } from "../../src/core/errors.ts";
import type { Model } from "../../src/core/types.ts";
import { openaiCompatible } from "../../src/models/index.ts";
import { startFakeProvider, summarizingReply } from "../../src/testing/fake-provider/index.ts";
import { plausible } from "./gated-model.ts";
import { createStage } from "./stage.ts";

it("a summariser whose window is smaller than it says is asked for shorter pieces until they fit", async () => {
  const sizes: number[] = [];
  /** Characters that it really takes. */
  const real = 24_000;
  const model: Model = {
    id: "smaller-than-it-says",
    window: 30_000,
    async complete(request) {
      const size = request.messages.reduce((sum, { text }) => sum + text.length, 0);
      sizes.push(size);
      if (size > real)
        throw new ModelError({ model: "m", failure: "too-long", message: "too long.", fix: "Send less." });
      return { text: plausible(request), stop: "end", usage: { input: 1, output: 1 } };
    },
  };
  const stage = createStage({ summarizer: model });
  await stage.fillTo(0.95);
  const { report } = await stage.compactor.compact(stage.transcript, { now: stage.clock.now() });
  expect(sizes[0]).toBeGreaterThan(real);
  expect(report.modelCalls.some(({ result }) => result === "accepted")).toBe(true);
  expect(report.modelCalls.some(({ rung }) => rung === "simple")).toBe(false);
  // From then on no piece is too long.
  const before = sizes.length;
  await stage.compactor.rebuild(stage.transcript, { now: stage.clock.now() });
  expect(sizes.length).toBeGreaterThan(before);
  expect(Math.max(...sizes.slice(before))).toBeLessThanOrEqual(real);
});

it("a summariser whose window is far smaller than the registry's is refused once, then its pieces are smaller", async () => {
  /** Characters that it really takes, much less than a window of 200,000 tokens has. */
  const real = 45_000;
  const sizes: number[] = [];
  const model: Model = {
    id: "claude-sonnet-4-5",
    async complete(request) {
      const size = request.messages.reduce((sum, { text }) => sum + text.length, 0);
      sizes.push(size);
      if (size > real)
        throw new ModelError({ model: "m", failure: "too-long", message: "too long.", fix: "Send less." });
      return { text: plausible(request), stop: "end", usage: { input: 1, output: 1 } };
    },
  };
  const stage = createStage({ summarizer: model });
  await stage.fillTo(0.95);
  const { report } = await stage.compactor.compact(stage.transcript, { now: stage.clock.now() });
  expect(sizes[0]).toBeGreaterThan(real);
  expect(sizes.filter((size) => size > real)).toHaveLength(1);
  expect(report.modelCalls.some(({ result }) => result === "accepted")).toBe(true);
});

it("a window that the server names in its refusal is the window from then on", async () => {
  const WINDOW = 9_000;
  const provider = await startFakeProvider({ window: WINDOW, reply: summarizingReply() });
  const model = openaiCompatible({
    baseURL: `${provider.url}/v1`,
    model: "gpt-4.1",
    apiKey: "sk-test",
  });
  const stage = createStage({ summarizer: model });
  await stage.fillTo(0.95);
  const { report } = await stage.compactor.compact(stage.transcript, { now: stage.clock.now() });
  await provider.close();
  const statuses = provider.requests.map(({ status }) => status);
  expect(statuses.filter((status) => status === 400)).toHaveLength(1);
  expect(report.modelCalls.some(({ result }) => result === "accepted")).toBe(true);
});
