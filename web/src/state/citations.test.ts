import { expect, it } from "vitest";
import { splitCitations, splitPointers } from "./citations.ts";

const pointers = (text: string, lead = 0) =>
  splitPointers(text, lead).flatMap((piece) => (piece.type === "pointer" ? [[piece.from, piece.to]] : []));

it("finds single messages and runs", () => {
  expect(pointers("#2 said it, see #12–18 and (#20-#21).")).toEqual([
    [1, 1],
    [11, 17],
    [19, 20],
  ]);
});

it("counts leading system messages that indexes leave out", () => {
  expect(pointers("#2–4", 1)).toEqual([[0, 2]]);
});

it("leaves colours, links and words alone", () => {
  expect(pointers("page#3 &#12; ##4 #a1b2c3 #12px https://x.test/#5")).toEqual([]);
});

it("keeps every character", () => {
  const text = "a #1 b #2–3";
  expect(
    splitPointers(text)
      .map((piece) => piece.text)
      .join(""),
  ).toBe(text);
});

it("finds the numbers of sources, each one of a list, and leaves the rest of the text as it is", () => {
  const text = "Hot [3], wet [1, 02] or [^4–^5]; 【7†source】, not [2024], x[] or [a].";
  const pieces = splitCitations(text);
  expect(pieces.map((piece) => piece.text).join("")).toBe(text);
  const found = pieces.flatMap((piece) => (piece.type === "number" ? [[piece.text, piece.number]] : []));
  expect(found).toEqual([
    ["[3]", "3"],
    ["1", "1"],
    ["02", "2"],
    ["4", "^4"],
    ["5", "^5"],
    ["【7†source】", "7"],
  ]);
});
