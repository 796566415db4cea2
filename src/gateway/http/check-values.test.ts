import { expect, it } from "vitest";
import { checkValues } from "./check-values.ts";

const MEGABYTE = 1024 * 1024;
const body = (text: string) => Buffer.from(`{"a":["${text}"]}`);

it("counts what stands outside of texts, wherever a text is cut for a pause", async () => {
  const quotes = '\\"[1,2,3]\\\\'.repeat(MEGABYTE / 4);
  await expect(checkValues(body(quotes), 10)).resolves.toBeUndefined();
  const lists = `${quotes}",${"1,".repeat(20)}"`;
  await expect(checkValues(body(lists), 10)).rejects.toThrow("more than 10 values");
});

it("a text full of quotes leaves others their turns", async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await checkValues(body('\\"'.repeat(4 * MEGABYTE)), 1_000);
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(7);
});
