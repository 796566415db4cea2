import { expect, it } from "vitest";
import { aroundMatch } from "./around-match.ts";

const TEXT = "3 WAYPOST_DB=./waypost.db 4 NORLINK_URL=https://api.norlink.example/v2 5 NORLINK_KEY=";

it("begins close to what was found, at the start of a word", () => {
  expect(aroundMatch(TEXT, "norlink")).toEqual({
    before: "… 4 ",
    found: "NORLINK",
    after: "_URL=https://api.norlink.example/v2 5 NORLINK_KEY=",
  });
});

it("finds all the words together, or else the first that is there", () => {
  expect(aroundMatch("The shed\nkey hangs here", '"shed key"')).toMatchObject({
    before: "The ",
    found: "shed key",
  });
  expect(aroundMatch("The key of the shed", "shed key").found).toBe("shed");
});

it("keeps an excerpt as it is where nothing of the search stands in it", () => {
  expect(aroundMatch("The key", "keys and locks")).toEqual({ before: "The key", found: "", after: "" });
  expect(aroundMatch("The key", " ")).toEqual({ before: "The key", found: "", after: "" });
});
