import { expect, it } from "vitest";
import type { ChatMessage } from "../../src/apis/index.ts";
import type { CompactorOptions, Model, SummaryOptions } from "../../src/core/types.ts";
import { createStage } from "./stage.ts";

const summarizer: Model = {
  id: "test-model",
  window: 100_000,
  continues: "openai-chat",
  complete: () => Promise.reject(new Error("A plan asks nobody.")),
};

async function planned(summary: SummaryOptions, withRequest: boolean) {
  const options: Partial<CompactorOptions<ChatMessage>> = { summarizer, summary };
  const stage = createStage(options);
  await stage.fillTo(0.85);
  const request = { model: "test-model", messages: stage.transcript };
  const { calls } = await stage.compactor.plan(stage.transcript, {
    now: stage.clock.now(),
    ...(withRequest && { request }),
  });
  return calls;
}

it.each([
  ["with the last request", "continuation", {}, true],
  ["without it", "full", {}, false],
  ["with a forced mode", "simple", { mode: "simple" }, true],
  ["rolling, which has no continuation", "full", { merge: "rolling" }, true],
] as const)(
  "a plan names the rung that will be tried first: %s, %s",
  async (_, rung, summary, withRequest) => {
    const [call, ...more] = await planned(summary, withRequest);
    expect(call).toMatchObject({ name: `summarize-${rung}`, rung });
    expect(more).toEqual([]);
  },
);

it("a plan names no call where the forced mode can't be used", async () => {
  expect(await planned({ mode: "continuation" }, false)).toEqual([]);
});

it("a plan's ceiling is the one that the request will have", async () => {
  const [call] = await planned({}, false);
  const [rolling] = await planned({ merge: "rolling" }, false);
  expect(call!.cap).toBeGreaterThan(200);
  // The first record may take all of the room, whether it stays the only one or not.
  expect(rolling!.cap).toBe(call!.cap);
});
