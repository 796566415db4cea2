import fc from "fast-check";
import { expect, it } from "vitest";
import { countTurns } from "../../../test/support/count-turns.ts";
import { anyCharacter } from "../../testing/arbitraries/texts.ts";
import { checkValues } from "./body-thread.ts";
import { parseBody } from "./read-body.ts";

const MEGABYTE = 1024 * 1024;
/** Bodies from here on are parsed in a thread. */
const LARGE = 4 * MEGABYTE;
const long = (unit: string) => unit.repeat(Math.ceil((LARGE + 3) / Buffer.byteLength(unit)));
const parse = async (json: string) => parseBody(Buffer.from(json));
/** What TypeScript doesn't know of JSON yet. */
const exact = JSON as unknown as {
  parse(text: string, revive: typeof rawNumbers): unknown;
  rawJSON(source: string): unknown;
};
const BIG = "12345678901234567890";

it.each(["short", long("some words "), long('\\"'), long("\\\\"), long("\\ud83d\\ude00a"), long("é漢😀a")])(
  "beside a text of any size, all of a body is what it was",
  async (text) => {
    const json = `{"id":${BIG},"messages":[1,"${text}",{"__proto__":"${text}","n":-${BIG}.5e7},[]],"__proto__":{"a":[1e400]},"input":[],"a b":"${text}"}`;
    expect(JSON.stringify(await parse(json)) === JSON.stringify(exact.parse(json, rawNumbers))).toBe(true);
  },
);

/** As the platform's own parser keeps them. */
function rawNumbers(_: string, value: unknown, { source }: { source: string }): unknown {
  return typeof value === "number" && String(value) !== source ? exact.rawJSON(source) : value;
}

it("a long list comes in pieces, whole and in order, while others have their turns", async () => {
  const messages = Array.from({ length: 5_000 }, (_, at) => ({
    at,
    content: `${'words \\ " é漢😀 '.repeat(150)}`,
    n: 0.5,
  }));
  const json = JSON.stringify({ model: "m", messages, contents: [messages[0]], n: 1 });
  let body: unknown;
  const turns = await countTurns(async () => {
    body = await parse(json);
  });
  expect(JSON.stringify(body) === json).toBe(true);
  expect(turns).toBeGreaterThan(10);
});

it("any large body is parsed as a small one is", async () => {
  const more = fc.record({
    messages: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()),
    after: fc.jsonValue(),
  });
  const unit = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(more, unit, async (value, text) => {
      const json = JSON.stringify({ ...value, text: long(text) });
      expect(await parse(json)).toEqual(JSON.parse(json));
    }),
    { numRuns: 3 },
  );
});

it("of a field that comes twice the last one counts", async () => {
  for (const text of ["x", long("x")])
    expect(await parse(`{"a":"${text}","a":"y","b":[1],"b":["${text}"]}`)).toEqual({ a: "y", b: [text] });
});

it.each([
  ["a sign that must be escaped", '{"a":"TEXT\n"}', "isn't valid JSON"],
  ["an escape that there isn't", '{"a":"TEXT\\q"}', /isn't valid JSON: .*position/],
  ["a text that doesn't end", '{"a":"TEXT', "isn't valid JSON"],
  ["something behind the end", '{"a":"TEXT"}x', "isn't valid JSON"],
  ["a list", '["TEXT"]', "isn't a JSON object"],
  ["a number", BIG, "isn't a JSON object"],
])("%s is refused in words", async (_name, json, words) => {
  for (const text of ["x", long("x")]) await expect(parse(json.replace("TEXT", text))).rejects.toThrow(words);
});

it("bytes that are no UTF-8 are refused", async () => {
  for (const text of ["xx", long("x")]) {
    const bytes = Buffer.from(`{"a":"${text}"}`);
    bytes[7] = 0xff;
    await expect(async () => parseBody(bytes)).rejects.toThrow("isn't valid UTF-8");
  }
});

it("counts what stands outside of texts, whatever quotes and backslashes are in them", () => {
  const check = (json: string) => () => checkValues(Buffer.from(json), 10);
  for (const size of [MEGABYTE / 4, 2 * MEGABYTE]) {
    const quotes = '\\"[1,2,3]\\\\'.repeat(size / 8);
    expect(check(`{"a":["${quotes}"]}`)).not.toThrow();
    expect(check(`{"a":["${quotes}",${"1,".repeat(20)}1]}`)).toThrow("more than 10 values");
    for (const length of [size - 8, size - 7, size]) {
      const even = "\\".repeat(2 * Math.floor(length / 2));
      expect(check(`{"a":["${even}",[1,2,3,4,5,6,7,8,9]]}`)).toThrow("more than 10 values");
      expect(check(`{"a":["${even}\\",[1,2,3,4,5,6,7,8,9]"]}`)).not.toThrow();
    }
  }
});

it("levels without end are refused before anybody walks through them, some thousand aren't", async () => {
  const deep = (levels: number, text = "") =>
    parse(`{"a":${"[".repeat(levels)}${"]".repeat(levels)},"b":"${text}"}`);
  await expect(deep(20_000)).resolves.toBeTypeOf("object");
  await expect(deep(200_000)).rejects.toThrow("nested too deep");
  for (const levels of [1_500, 4_000, 8_000, 20_000])
    await expect(deep(levels, long("x"))).rejects.toThrow("nested too deep");
  await expect(deep(500, long("x"))).resolves.toBeTypeOf("object");
});

it("numbers that a double can't hold count as many", async () => {
  await expect(parse(`{"a":[${`${BIG},`.repeat(9_000)}1]}`)).resolves.toBeTypeOf("object");
  await expect(parse(`{"a":[${`${BIG},`.repeat(11_000)}1]}`)).rejects.toThrow("more than 500000 values");
});
