import { expect, it } from "vitest";
import { readLog } from "../../../src/apis/logs/index.ts";
import { ApiFailure } from "./api-client.ts";
import { explainFile } from "./explain-file.ts";

/** What the server says about a file. */
function refused(text: string): unknown {
  try {
    readLog(text);
  } catch (error) {
    const { message, code, fix } = error as ApiFailure;
    return new ApiFailure({ message, code, fix, status: 400 });
  }
  throw new Error("it was read");
}

it("says what a wrong file is, without advice for a terminal", () => {
  const { message, fix } = explainFile("shopping.txt", refused("milk, bread, eggs"));
  // What would be right is said once, in the advice.
  expect(message).toBe('shopping.txt: line 1: this is plain text ("milk, bread, eggs").');
  expect(`${message} ${fix}`).not.toMatch(/--|precis:|`dialect`/);
  expect(fix).toMatch(/^Choose another file/);
});

it("leaves other advice as it is", () => {
  const failure = new ApiFailure({
    code: "offline",
    message: "The server can't be reached.",
    fix: "Start it.",
  });
  expect(explainFile("a.json", failure)).toEqual({
    message: "a.json: The server can't be reached.",
    fix: "Start it.",
  });
});
