import { expect, it } from "vitest";
import { countTurns } from "../../../test/support/count-turns.ts";
import { checkValues } from "./check-values.ts";

const MEGABYTE = 1024 * 1024;
const body = (text: string) => Buffer.from(`{"a":["${text}"]}`);

it("counts what stands outside of texts, wherever a text is cut for a pause", async () => {
  const quotes = '\\"[1,2,3]\\\\'.repeat(MEGABYTE / 4);
  // What it resolves with is parsed by itself.
  await expect(checkValues(body(quotes), 10)).resolves.toEqual([{ start: 7, end: 7 + quotes.length }]);
  const lists = `${quotes}",${"1,".repeat(20)}"`;
  await expect(checkValues(body(lists), 10)).rejects.toThrow("more than 10 values");
});

it("a text full of quotes leaves others their turns", async () => {
  const turns = await countTurns(async () => checkValues(body('\\"'.repeat(4 * MEGABYTE)), 1_000));
  expect(turns).toBeGreaterThanOrEqual(7);
});

it("levels without end are refused before anybody walks through them, some thousand aren't", async () => {
  const deep = (levels: number) =>
    Buffer.from(`{"a":${"[".repeat(levels)}${"]".repeat(levels)},"b":"${"x".repeat(MEGABYTE)}"}`);
  await expect(checkValues(deep(20_000), 500_000)).resolves.toEqual([]);
  await expect(async () => checkValues(deep(200_000), 500_000)).rejects.toThrow("nested too deep");
});

it("a body of a moment is counted at once", () => {
  const numbers = Buffer.from(`{"a":[${"1,".repeat(200_000)}1]}`);
  expect(checkValues(numbers, 500_000)).toBeUndefined();
  expect(() => checkValues(numbers, 1_000)).toThrow("more than 1000 values");
});

it("backslashes without end are counted piece by piece, and still say whether a quote ends the text", async () => {
  for (const length of [MEGABYTE - 8, MEGABYTE - 7, MEGABYTE, 3 * MEGABYTE]) {
    const even = "\\".repeat(2 * Math.floor(length / 2));
    const outside = `${even}",[1,2,3],"${"x".repeat(MEGABYTE)}`;
    await expect(checkValues(body(outside), 5)).rejects.toThrow("more than 5 values");
    const inside = `${even}\\",[1,2,3],${"x".repeat(MEGABYTE)}`;
    await expect(checkValues(body(inside), 5)).resolves.toEqual(
      inside.length > 2 * MEGABYTE ? [{ start: 7, end: 7 + inside.length }] : [],
    );
  }
  const turns = await countTurns(async () => checkValues(body("\\\\".repeat(4 * MEGABYTE)), 1_000));
  expect(turns).toBeGreaterThanOrEqual(7);
});
