import fc from "fast-check";
import { expect, it } from "vitest";
import { countTurns } from "../../../test/support/count-turns.ts";
import { parseAroundList } from "./parse-list.ts";
import { parseChecked, parseObject } from "./read-body.ts";

const message = (at: number) => ({ role: "user", content: `${at} ${'words \\ " é漢😀 '.repeat(300)}` });
const MESSAGES = Array.from({ length: 1_500 }, (_, at) => message(at));
const bytesOf = (json: string) => Buffer.from(json);

it.each(["messages", "input", "contents"])("a long list of %s is what a parser makes of it", async (name) => {
  const json = JSON.stringify({ model: "m", [name]: MESSAGES, n: 1, __proto__: null, "a b": [1] }, null, 1);
  expect(await parseAroundList(bytesOf(json))).toEqual(JSON.parse(json));
});

it("others have their turns while it is parsed", async () => {
  const bytes = bytesOf(JSON.stringify({ model: "m", messages: MESSAGES }));
  expect(bytes.length).toBeGreaterThan(4 * 1024 * 1024);
  expect(await countTurns(() => parseChecked(bytes))).toBeGreaterThan(5);
});

it("numbers that a double can't hold stay what they are", async () => {
  const json =
    '{"a":12345678901234567890,"messages":[{"n":1e400},[0.1234567890123456789]],"b":98765432109876543210}';
  expect(JSON.stringify(await parseAroundList(bytesOf(json)))).toBe(json);
});

it.each([
  ["twice the same list", '{"messages":[1],"messages":[2]}'],
  ["another field twice around it", '{"a":1,"messages":[1],"a":2}'],
  ["no list of messages", '{"a":1}'],
  ["messages that are no list", '{"messages":{}}'],
  ["something that is no object", "[]"],
])("%s is left to a parser", async (_name, json) => {
  expect(await parseAroundList(bytesOf(json))).toBeUndefined();
});

it.each([
  ["no comma between two", '{"messages":[{} {}]}'],
  ["a comma behind the last", '{"messages":[{},]}'],
  ["a comma before the first", '{"messages":[,{}]}'],
  ["two commas", '{"messages":[{},,{}]}'],
  ["no end", '{"messages":[{}'],
  ["something behind the end", '{"messages":[{}]}x'],
  ["a word that there isn't", '{"messages":[{},nul]}'],
  ["another bracket", '{"messages":[{}}}'],
])("%s is never taken for JSON", async (_name, json) => {
  expect(await parseAroundList(bytesOf(json))).toBeUndefined();
});

it("whatever the body is, it is parsed as at once or not at all", async () => {
  const body = fc.record(
    {
      before: fc.jsonValue(),
      messages: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()),
      after: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(body, async (value) => {
      const bytes = bytesOf(JSON.stringify(value));
      const parsed = await parseAroundList(bytes);
      if (parsed) expect(parsed).toEqual(parseObject(bytes));
    }),
  );
});
