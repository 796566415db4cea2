import { expect, it } from "vitest";
import { forReaders, newestPointer, withoutPointers } from "./pointers.ts";

it("takes the pointers at the ends of lines, and nothing else", () => {
  expect(withoutPointers("- a fact #12\n- b (#12, #15–18).\n- c #1 and #2\nno #3 here")).toBe(
    "- a fact\n- b.\n- c\nno #3 here",
  );
  expect(newestPointer("- b (#12, #15–18).")).toBe(18);
  expect(newestPointer("no #3 here")).toBeUndefined();
});

it("leaves none to readers who don't have the messages, and keeps an issue's number", () => {
  expect(
    forReaders("- #3: a fact (#12, #15–18) holds.\n  * #4 b [#7] #9.\n#1 and #2 c; issue #5 is open"),
  ).toBe("- a fact holds.\n  * b.\nc; issue #5 is open");
});

/** These took half a minute for each 60 KB, and a model may answer with a megabyte. */
it.each([
  ["pointers in the middle of a line", `${"#1 ".repeat(300_000)}x`],
  ["blanks", `${" ".repeat(900_000)}#x`],
])("a megabyte of %s comes back as it is", (_, text) => {
  expect(withoutPointers(text)).toBe(text);
  expect(forReaders(text).length).toBeLessThanOrEqual(text.length);
  expect(newestPointer(text)).toBeUndefined();
});
