import { expect, it } from "vitest";
import { growth, LINEAR } from "../../../test/support/growth.ts";
import { restOf } from "./cut-words.ts";

const RULE =
  "Never touch the generated files.\n\nThe contract (openapi.yaml) is what counts, and it is long.";

it("finds what a cut quotation leaves out, whatever its spaces are", () => {
  expect(restOf("Never touch the generated files.\nThe contract (openapi.yaml) …", RULE)).toBe(
    " is what counts, and it is long.",
  );
});

it("a whole quotation leaves nothing out, and one from elsewhere isn't mended", () => {
  expect(restOf(RULE, RULE)).toBeUndefined();
  expect(restOf("Always touch the files …", RULE)).toBeUndefined();
  expect(restOf("…", RULE)).toBeUndefined();
});

it("long runs of blanks, ellipses or one letter cost no more than reading them", () => {
  for (const unit of [" ", "…", "… ", "a"]) {
    const whole = (size: number) => `a${unit.repeat(size)}b`;
    expect(growth((size) => restOf(whole(size), whole(size)), 2_000)).toBeLessThan(LINEAR);
    expect(growth((size) => restOf(`${whole(size)} …`, `a${unit.repeat(8 * size)}`), 2_000)).toBeLessThan(
      LINEAR,
    );
  }
});
