/** A compaction that a person asks for never forgets what would fit: it hides messages behind a smaller summary, or nothing. */
import { expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";

const talk = (turns: number, length: number) =>
  Array.from({ length: turns }, (_, turn) => [
    chat.user(`Question ${turn}: ${"how about this one? ".repeat(length)}`),
    chat.assistant(`Answer ${turn}. ${"it is fine as it is. ".repeat(length)}`),
  ]).flat();

const sizes = [1, 2, 3, 4, 6, 10].flatMap((turns) =>
  [1, 4, 10, 30].map((length) => [turns, length] as const),
);

it.each(sizes)("%i turns of length %i", async (turns, length) => {
  const transcript = talk(turns, length);
  for (const input of [{}, { focus: "the first one" }]) {
    const compactor = createCompactor({ dialect: openaiChat, window: 128_000 });
    const { messages, report } = await compactor.compact(transcript, { now: 1, ...input });
    expect(report.counts.dropped).toBe(0);
    if (report.outcome === "nothing-to-gain") {
      expect(messages).toEqual(transcript);
      continue;
    }
    expect(report).toMatchObject({ outcome: "compacted", counts: { inserted: 1 } });
    expect(report.tokens.after).toBeLessThan(report.tokens.before);
  }
});

it("of a few words has nothing to gain", async () => {
  const transcript = talk(3, 1);
  const compactor = createCompactor({ dialect: openaiChat, window: 128_000 });
  const { report } = await compactor.compact(transcript, { now: 1 });
  expect(report).toMatchObject({ outcome: "nothing-to-gain", counts: { kept: 6 } });
});

it("still forgets where it must: what doesn't fit has to go", async () => {
  const compactor = createCompactor({ dialect: openaiChat, budget: 120 });
  const { report } = await compactor.compact(talk(3, 4), { now: 1 });
  expect(report.outcome).toBe("compacted");
  expect(report.tokens.after).toBeLessThanOrEqual(120);
});

it("asks no model for a summary of a few words", async () => {
  let asked = 0;
  const summarizer = {
    id: "m",
    window: 128_000,
    complete: async () => {
      asked += 1;
      return {
        text: "Questions were asked, and all of it is fine as it is.",
        stop: "end" as const,
        usage: { input: 100, output: 12 },
      };
    },
  };
  for (const [turns, length] of [
    [3, 1],
    [4, 2],
  ] as const) {
    const compactor = createCompactor({ dialect: openaiChat, window: 128_000, summarizer });
    await compactor.compact(talk(turns, length), { now: 1 });
  }
  expect(asked).toBe(0);
  const compactor = createCompactor({ dialect: openaiChat, window: 128_000, summarizer });
  const { report } = await compactor.compact(talk(10, 20), { now: 1 });
  expect(asked).toBeGreaterThan(0);
  expect(report.rungs.at(-1)?.rung).toBe("full");
});
