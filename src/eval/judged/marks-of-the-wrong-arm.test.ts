import { expect, test } from "vitest";
import { judgeRequest, readAnswers, readMarks, type Sheet, shuffled } from "./exam-requests.ts";
import { estimateOf } from "./result.ts";

const item = { n: 0, type: "t", question: "Which?", expected: "that", rubric: ["says that", "says why"] };
const sheet = (seed: number): Sheet => ({ item, answers: ["from A", "from B", "from C"], seed });

test("marks find back to the arm whose answer they are for, whatever the order was", () => {
  for (let seed = 0; seed < 20; seed += 1) {
    const sheets = [sheet(seed), sheet(seed + 100)];
    const text = judgeRequest(sheets).messages[0]?.text ?? "";
    const marks = text
      .split(/(?=<question number=)/)
      .filter((part) => part.startsWith("<question"))
      .flatMap((part, index) =>
        [...part.matchAll(/number="(\d+)">\nfrom (\w)/g)].map(([, number, arm]) => ({
          question: index + 1,
          answer: Number(number),
          points: [arm === "A" ? 1 : 0, arm === "C" ? 0.5 : 0],
          misleading: arm === "B",
        })),
      );
    expect(readMarks(marks, sheets)).toEqual(
      sheets.map(() => [
        { score: 0.5, misleading: false },
        { score: 0, misleading: true },
        { score: 0.25, misleading: false },
      ]),
    );
  }
});

test("a shuffle is a permutation, and each place is as likely for each arm", () => {
  const first = [0, 0, 0];
  for (let seed = 0; seed < 3_000; seed += 1) {
    const order = shuffled(3, seed * 7_919);
    expect(order.toSorted()).toEqual([0, 1, 2]);
    first[order[0] ?? 0]! += 1;
  }
  for (const count of first) expect(count).toBeGreaterThan(850);
});

test("marks that are missing or don't match the rubric are refused with the reason", () => {
  const one = { question: 1, answer: 1, points: [1, 1], misleading: false };
  expect(readMarks([one], [sheet(1)])).toBe("it has no marks for answer 2 to question 1");
  expect(readMarks([{ ...one, points: [1] }], [sheet(1)])).toMatch(/has 1 points, the rubric has 2/);
  expect(readMarks([{ ...one, points: [1, 7] }], [sheet(1)])).toMatch(/no marks for answer 1/);
  expect(readAnswers([{ n: 1, answer: "x" }], 2)).toBe("it has no answer to 2");
  expect(
    readAnswers(
      [
        { n: "2", answer: "y" },
        { n: 1, answer: "x" },
      ],
      2,
    ),
  ).toEqual(["x", "y"]);
});

test("an interval holds its mean, and one exam more makes it no wider than chance", () => {
  const values = Array.from({ length: 48 }, (_, i) => ({ exam: `e${i % 4}`, value: i % 3 === 0 ? 0 : 1 }));
  const { mean, low, high, questions } = estimateOf(values);
  expect(questions).toBe(48);
  expect(mean).toBeCloseTo(2 / 3);
  expect(low).toBeLessThan(mean);
  expect(high).toBeGreaterThan(mean);
  expect(high - low).toBeLessThan(0.4);
  expect(estimateOf(values)).toEqual({ mean, low, high, questions });
});
