import { describe, expect, it } from "vitest";
import { answerSize, firstReserve, haveSameStep, mergeSizes, reserveByAnswers, sizesOf } from "./budget.ts";
import type { AnswerSize } from "./types.ts";

const WINDOW = 64_000;
const answers = (...tokens: readonly number[]): AnswerSize[] => tokens.map((size, at) => [at, size]);
const reserve = (
  sizes: readonly AnswerSize[],
  more: Partial<Parameters<typeof reserveByAnswers>[0]> = {},
): number => reserveByAnswers({ sizes, window: WINDOW, maxAnswer: 32_000, free: WINDOW, least: 0, ...more });

describe("what is kept free for an answer", () => {
  it("isn't the asked maximum: at first it is no more than an eighth of the window and 8,192", () => {
    expect(firstReserve(64_000, 32_000)).toBe(8_000);
    expect(firstReserve(200_000, 64_000)).toBe(8_192);
    expect(firstReserve(200_000, 500)).toBe(500);
    expect(firstReserve(16_000, undefined)).toBe(2_000);
    expect(reserve([])).toBe(8_000);
  });

  it("doesn't fall after a few short answers", () => {
    expect(reserve(answers(500, 400, 300))).toBe(8_000);
    expect(reserve(answers(...Array(8).fill(500)))).toBe(1_024);
  });

  it("rises with the first long answer, and stays while one of the newest is long", () => {
    expect(reserve(answers(9_000))).toBe(12_288);
    const later = mergeSizes(
      answers(9_000),
      Array.from({ length: 19 }, (_, at) => [at + 1, 200]),
    );
    expect(reserve(later)).toBe(12_288);
    expect(reserve(mergeSizes(later, [[100, 200]]))).toBe(1_024);
  });

  it("takes no more than the client asks for, a fifth of the window, and a quarter of what is free", () => {
    const long = answers(...Array(9).fill(30_000));
    expect(reserve(long)).toBe(12_800);
    expect(reserve(long, { maxAnswer: 9_000 })).toBe(9_000);
    expect(reserve(long, { free: 40_000 })).toBe(10_000);
    expect(reserve(long, { free: 100 })).toBe(8_000);
  });

  it("leaves room for summaries, unless the first figure doesn't", () => {
    const short = answers(...Array(9).fill(100));
    expect(reserve(short, { least: 2_500 })).toBe(2_500);
    expect(reserve(short, { least: 2_500, window: 8_000 })).toBe(1_000);
  });

  it("moves in coarse steps: answers of about the same size change nothing", () => {
    const figures = Array.from({ length: 400 }, (_, n) =>
      reserve(answers(...Array(9).fill(2_500 + ((n * 37) % 500)))),
    );
    expect(new Set(figures)).toEqual(new Set([4_096]));
    expect(haveSameStep(answers(...Array(9).fill(2_500)), answers(...Array(12).fill(3_000)))).toBe(true);
    expect(haveSameStep([], answers(300, 300))).toBe(true);
    expect(haveSameStep([], answers(3_000))).toBe(false);
    expect(haveSameStep(answers(...Array(7).fill(300)), answers(...Array(8).fill(300)))).toBe(false);
  });
});

it("an answer that was cut off counts as a longer one", () => {
  expect(answerSize(5, 1_000, true)[1]).toBeGreaterThan(1_000);
  expect(answerSize(5.5, 1_000, false)).toEqual([5, 1_000]);
});

it("two nodes that saw different answers agree once they know each other's, whoever begins", () => {
  const one = answers(100, 900, 300);
  const other: AnswerSize[] = [
    [1, 900],
    [7, 20],
  ];
  expect(mergeSizes(one, other)).toEqual(mergeSizes(other, one));
  expect(mergeSizes(one, other)).toHaveLength(4);
});

it("answers of another model or conversation don't count", () => {
  const records = [
    { hash: "a", model: "m", sizes: answers(1) },
    { hash: "a", model: "n", sizes: answers(2) },
    { hash: "b", model: "m", sizes: answers(3) },
  ];
  expect(sizesOf(records, { hash: "a", model: "m" })).toEqual(answers(1));
});
