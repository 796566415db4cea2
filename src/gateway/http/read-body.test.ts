import { expect, it } from "vitest";
import { countTurns } from "../../../test/support/count-turns.ts";
import { joinInTurns } from "./read-body.ts";

const MEGABYTE = 1024 * 1024;

it("the pieces of a large body become one with turns for others", async () => {
  const pieces = Array.from({ length: 32 * 16 }, (_, at) => Buffer.alloc(MEGABYTE / 16, at));
  let joined = Buffer.alloc(0);
  const turns = await countTurns(async () => {
    joined = Buffer.from(await joinInTurns(pieces, 32 * MEGABYTE));
  });
  expect(turns).toBeGreaterThanOrEqual(8);
  expect(joined.equals(Buffer.concat(pieces))).toBe(true);
});
