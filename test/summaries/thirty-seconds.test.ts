import { expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type { Model, State } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat, createFakeClock } from "../../src/testing/index.ts";
import { charsCounter } from "../../src/tokens/index.ts";
import { plausible } from "./gated-model.ts";

const SUMMARY_MS = 30_000;
/** Seconds between two requests of an agent. */
const STEP_MS = 8_000;

/** Answers 30 seconds after it was asked, by the fake clock: a turn that waited for it would never end. */
function slowModel(now: () => number): Model & { tick(): Promise<void>; readonly asked: number[] } {
  const waiting: { readonly at: number; readonly answer: () => void }[] = [];
  const asked: number[] = [];
  return {
    id: "slow",
    window: 400_000,
    asked,
    complete(request) {
      asked.push(now());
      return new Promise((resolve) => {
        waiting.push({
          at: now() + SUMMARY_MS,
          answer: () =>
            resolve({ text: plausible(request), stop: "end", usage: { input: 1_000, output: 60 } }),
        });
      });
    },
    async tick() {
      for (const one of waiting.splice(0).map((entry) => (entry.at <= now() ? entry.answer() : entry)))
        if (one) waiting.push(one);
      // What follows an answer (checks, storing) takes a few turns of the event loop.
      for (let loop = 0; loop < 20; loop++) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/** One turn of a talk; `size` characters of answer. */
const turn = (at: number, size: number): ChatMessage[] => [
  chat.assistant(
    `Answer ${at}: ${`Module ${at} keeps its tests beside it and is read by value${at}. `.repeat(Math.ceil(size / 62))}`,
  ),
  chat.user(`Question ${at + 1}: and what about module-${at + 1}.ts?`),
];

it.each([
  { window: 16_000, size: 1_500, turns: 160 },
  { window: 64_000, size: 6_000, turns: 160 },
  { window: 200_000, size: 14_000, turns: 160 },
])(
  "window $window: a summariser of 30 seconds holds up no turn; its narrative comes with the compaction or after it",
  async ({ window, size, turns }) => {
    const clock = createFakeClock();
    const model = slowModel(clock.now);
    const compactor = createCompactor<ChatMessage>({
      dialect: openaiChat,
      window,
      counter: charsCounter(),
      summarizer: model,
      summary: { deadlineMs: 600_000 },
    });
    const transcript: ChatMessage[] = [
      chat.system("You help."),
      chat.user("Question 0: what about module-0.ts?"),
    ];
    let state: State | undefined;
    let withNarrative = 0;
    let later = 0;
    for (let at = 0; at < turns; at++) {
      const now = clock.advance(STEP_MS);
      await model.tick();
      const { report, ...result } = await compactor.fit(transcript, {
        now,
        lastRequestAt: now - STEP_MS,
        ...(state && { state }),
      });
      expect(report.pressure.after).toBeLessThanOrEqual(1);
      ({ state } = result);
      if (report.outcome === "compacted" && report.rungs.at(-1)?.rung !== "reductions") {
        if (report.rungs.at(-1)?.rung === "extractive") later++;
        else withNarrative++;
      }
      transcript.push(...turn(at, size));
    }
    const compactions = withNarrative + later;
    expect(compactions).toBeGreaterThan(2);
    expect(model.asked.length).toBeGreaterThan(0);
    // Half of the room is enough for half a minute of work, except in the smallest window.
    if (window > 16_000) expect(later / compactions).toBeLessThan(0.5);
    await compactor.close();
  },
);
