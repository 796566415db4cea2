import { expect, test } from "vitest";
import { TranscriptError } from "../../core/errors.ts";
import { readLog } from "./create-log-reader.ts";

const hello = JSON.stringify({ role: "user", content: "Hello" });

function failure(text: string): TranscriptError {
  try {
    readLog(text);
  } catch (error) {
    if (error instanceof TranscriptError) return error;
    throw error;
  }
  throw new Error("the text was read without an error");
}

test.each([
  ["nothing", "", /the file is empty/, undefined],
  ["spaces", " \n\n ", /the file is empty/, undefined],
  ["HTML", "<!doctype html>\n<html></html>", /HTML page/, 1],
  ["XML", "<?xml version='1.0'?>\n<a/>", /XML/, 1],
  ["binary", "\u0000\u0001PK\u0003\u0004", /binary/, 1],
  ["gzip that nobody unpacked", "\u001f\ufffd\b\u0000", /binary/, 1],
  ["CSV", "role,content,time\nuser,Hello,1\n", /CSV\) with 3 columns/, 1],
  ["Markdown", "# Notes\n\nHello", /Markdown/, 1],
  ["words", "hello there\n", /plain text \("hello there"\)/, 1],
  ["Python", "[{'role': 'user'}]", /single quotes/, 1],
  ["a number", "42", /found 42/, 1],
  ["an object without messages", '{"a":1,"b":2}', /the fields `a`, `b`/, 1],
  ["an empty list of messages", '{"messages":[]}', /`messages` is an empty list/, 1],
  ["an empty list", "[]", /an empty list/, 1],
  ["a list of numbers", "[1,2]", /a list of 2 values like 1/, 1],
  ["a broken line among good ones", `${hello}\n{"role":\n${hello}`, /invalid JSON/, 2],
  ["a broken first line", `{"role": "user", \n${hello}\n${hello}`, /invalid JSON/, 1],
  ["a wrong line among good ones", `${hello}\n7\n${hello}`, /found 7/, 2],
  ["a line of another kind", `${hello}\n{"x":1}\n${hello}`, /the field `x`/, 2],
  ["pretty JSON with a missing comma", '{\n  "a": 1\n  "messages": []\n}', /invalid JSON/, 3],
  ["pretty JSON that stops", '{\n  "messages": [\n    {\n', /invalid JSON/, 4],
])("%s", (_, text, message, line) => {
  const error = failure(text);
  expect(error.message).toMatch(message);
  expect(error.line).toBe(line);
  expect(error.message).toMatch(/Expected a JSON or JSONL conversation/);
  expect(error.fix).not.toBe("");
});

test("a last line that is cut off (a log that is still being written) is a warning", () => {
  const log = readLog(`${hello}\n${hello}\n{"role":"us`);
  expect(log.messages).toHaveLength(2);
  expect(log.warnings).toEqual(["line 3 is cut off and was left out"]);
});

test("a log that holds no message is an error", () => {
  const line = JSON.stringify({ type: "session_meta", payload: { id: "x" } });
  expect(failure(`${line}\n${line}`).message).toMatch(/no messages/);
});
