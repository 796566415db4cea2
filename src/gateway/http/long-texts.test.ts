import fc from "fast-check";
import { expect, it } from "vitest";
import { countTurns } from "../../../test/support/count-turns.ts";
import { anyCharacter } from "../../testing/arbitraries/texts.ts";
import { checkValues } from "./check-values.ts";
import { LONG_TEXT_BYTES } from "./long-texts.ts";
import { parseBody, parseChecked } from "./read-body.ts";

const long = (unit: string) => unit.repeat(Math.ceil((LONG_TEXT_BYTES + 3) / Buffer.byteLength(unit)));
const parse = (json: string) => parseBody(Buffer.from(json));

it.each([
  ["words", "some words "],
  ["quotes", '\\"'],
  ["backslashes", "\\\\"],
  ["backslashes and quotes", '\\\\\\"x'],
  ["escapes of five signs", "\\u00e9"],
  ["pairs that are written as escapes", "\\ud83d\\ude00a"],
  ["signs of several bytes", "é漢😀a"],
])("a long text of %s is the same wherever it is cut", async (_name, unit) => {
  for (const lead of ["", "a", "ab", "abc", "abcd", "abcde"]) {
    const json = `{"a":["${lead}${long(unit)}",{"__proto__":"${long(unit)}"}],"b":"short"}`;
    expect(await parse(json)).toEqual(JSON.parse(json));
  }
});

it("any text is the same after it was cut", async () => {
  const unit = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(unit, async (text) => {
      const value = { text: long(text), more: [long(text)] };
      expect(await parse(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 3 },
  );
});

it("long names of fields and numbers beside long texts stay what they are", async () => {
  const json = `{"${long("n")}":1,"id" : 12345678901234567890,"text":"${long("t")}"}`;
  const body = await parse(json);
  expect(JSON.stringify(body)).toBe(json.replace(" : ", ":"));
});

it("of a field that comes twice the last one counts", async () => {
  expect(await parse(`{"a":"${long("x")}","a":"${long("y")}","b":1,"b":"${long("z")}"}`)).toEqual({
    a: long("y"),
    b: long("z"),
  });
});

it.each([
  ["a sign that must be escaped", `{"a":"${long("x")}\n"}`, "isn't valid JSON"],
  ["an escape that there isn't", `{"a":"${long("x")}\\q"}`, "isn't valid JSON"],
  ["the same, told by its place in the body", `{"a":"${long("x")}\\q"}`, /between bytes \d{7} and \d{7}/],
  ["a text that doesn't end", `{"a":"${long("x")}`, "isn't valid JSON"],
  ["a list", `["${long("x")}"]`, "isn't a JSON object"],
])("%s is refused in words", async (_name, json, words) => {
  await expect(parse(json)).rejects.toThrow(words);
});

it("bytes that are no UTF-8 are refused in a long text, too", async () => {
  const bytes = Buffer.from(`{"a":"${long("x")}"}`);
  bytes[LONG_TEXT_BYTES] = 0xff;
  await expect(parseBody(bytes)).rejects.toThrow("isn't valid UTF-8");
});

it("60 escapes or 60 million: others have their turns", async () => {
  const bytes = Buffer.from(`{"a":"${'\\"'.repeat(4 * LONG_TEXT_BYTES)}"}`);
  const places = await checkValues(bytes);
  const turns = await countTurns(() => parseChecked(bytes, places));
  expect(turns).toBeGreaterThan(10);
});
