import { expect, it } from "vitest";
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

it("finds what lies between the beginning and the end of a message that are quoted", () => {
  expect(restOf("Never touch the …\nand it is long.", RULE)).toBe(
    " generated files.\n\nThe contract (openapi.yaml) is what counts, ",
  );
  expect(restOf("Never touch … The contract (openapi.yaml) is …", RULE)).toBe(
    " the generated files.\n\n …  what counts, and it is long.",
  );
});

it("an ellipsis that the person typed is no gap", () => {
  expect(restOf("Well … go on", "Well … go on")).toBeUndefined();
});
