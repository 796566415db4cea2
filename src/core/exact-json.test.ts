import fc from "fast-check";
import { expect, it, test, vi } from "vitest";
import { growth, LINEAR } from "../../test/support/growth.ts";
import { isExactNumber, parseExact, stringifyDeep, withDoubles } from "./json.ts";

const again = (text: string) => JSON.stringify(parseExact(text));

test.each([
  "1234567890123456789",
  "-1234567890123456789",
  "9007199254740993",
  '{"id":12345678901234567890}',
  '{"n":-9223372036854775808,"s":"x"}',
  "[1e400,-1e400,1E+400,1e-400]",
  "[123456789012345678e3]",
  "[3.14159265358979323846264338327950288]",
  "[0.1000000000000000055]",
  "[1e99999999999999999999]",
  '[[[{"a":{"b":[1,{"c":18446744073709551615}]}}]]]',
  '{"1234567890123456789":1234567890123456789}',
  '{"a":"1234567890123456789","b":": 1234567890123456789,","c":1234567890123456789}',
  '{"__proto__":{"x":1234567890123456789}}',
  '{"a":"日本語","b":1234567890123456789}',
])("%s comes out as it came in", (text) => {
  expect(again(text)).toBe(text);
  expect(JSON.stringify(JSON.parse(text))).not.toBe(text);
});

test("whitespace around a number doesn't hide it", () => {
  expect(again('{\n\t"a" :\r\n 1234567890123456789\n}')).toBe('{"a":1234567890123456789}');
});

test("numbers that a double holds are numbers", () => {
  const text = `[100,0.1,1.0,1e5,1E+2,-0.30000000000000004,9007199254740992,1e23,5e-324,0.00000000000000000001,
    1000000000000000000000,1.7976931348623157e308,123456789012345680000,0e5,0.0000000000000000,1e021]`;
  expect(parseExact(text)).toEqual(JSON.parse(text));
  // Also next to one that isn't.
  expect((parseExact(`[${text},1e400]`) as unknown[])[0]).toEqual(JSON.parse(text));
});

test("what isn't a number in a text isn't touched", () => {
  const text = JSON.stringify([
    "1234567890123456789",
    ", 1234567890123456789",
    "1e400",
    '\\":1e400',
    "1-2.3+4e5e6",
  ]);
  expect(parseExact(text)).toEqual(JSON.parse(text));
});

test("no JSON is refused", () => {
  for (const text of ["", "{bad", "[1234567890123456789", "01234567890123456789", "[1234567890123456789.]"])
    expect(() => parseExact(text)).toThrow(SyntaxError);
});

test("every number is the one that was written, wherever it stands", () => {
  const number = fc
    .tuple(
      fc.boolean(),
      fc.stringMatching(/^(0|[1-9][0-9]{0,24})$/),
      fc.option(fc.stringMatching(/^[0-9]{1,24}$/)),
      fc.option(fc.stringMatching(/^[+-]?[0-9]{1,4}$/)),
    )
    .map(([minus, whole, fraction, exponent]) => {
      const point = fraction === null ? "" : `.${fraction}`;
      return `${minus ? "-" : ""}${whole}${point}${exponent === null ? "" : `e${exponent}`}`;
    });
  fc.assert(
    fc.property(fc.string(), number, fc.json(), (before, source, after) => {
      const text = `{"before":${JSON.stringify(before)},"number":${source},"after":${after}}`;
      const { number: value, ...others } = parseExact(text) as Record<string, unknown>;
      const { number: plain, ...expected } = JSON.parse(text) as Record<string, unknown>;
      expect(others).toEqual(expected);
      if (isExactNumber(value)) expect(JSON.stringify(value)).toBe(source);
      else {
        expect(value).toBe(plain);
        expect(sameDecimal(source, String(value))).toBe(true);
      }
    }),
  );
});

test("nested too deep for exactness, the text is still parsed", () => {
  const depth = 100_000;
  expect(() => parseExact(`${"[".repeat(depth)}1e400${"]".repeat(depth)}`)).not.toThrow();
});

test("long runs of digits cost no more than reading them", () => {
  const cost = growth((size) => {
    const zeros = "0".repeat(size);
    expect(isExactNumber(parseExact(`1${zeros}1`))).toBe(true);
    expect(isExactNumber(parseExact(`1e1${zeros}`))).toBe(true);
  }, 125_000);
  expect(cost).toBeLessThan(LINEAR);
});

test("as doubles, numbers are what a client makes of them that knows no others", () => {
  const text = '{"id":1234567890123456789,"s":"a \\" 1234567890123456789","n":[1.0,1e400]}';
  expect(withDoubles(text)).toBe('{"id":1234567890123456800,"s":"a \\" 1234567890123456789","n":[1.0,null]}');
  expect(withDoubles('{"a": 1.50}')).toBe('{"a": 1.50}');
});

/** The same number, counted in whole units of the smallest place of either. */
function sameDecimal(a: string, b: string): boolean {
  const [left, right] = [partsOf(a), partsOf(b)];
  const least = Math.min(left.exponent, right.exponent);
  const scaled = ({ digits, exponent }: typeof left) => digits * 10n ** BigInt(exponent - least);
  return scaled(left) === scaled(right);
}

function partsOf(number: string): { digits: bigint; exponent: number } {
  const [mantissa = "", exponent = "0"] = number.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

const BIG = "12345678901234567890";

it("one number that a double can't hold doesn't make every other value dearer", () => {
  const parse = vi.spyOn(JSON, "parse");
  const text = `{"y":${BIG},"x":[${Array(1_000).fill("1").join(",")}]}`;
  expect(JSON.stringify(parseExact(text))).toBe(text);
  // A function beside the text would be called for each of the values.
  expect(parse.mock.calls.map((call) => call.length)).toEqual([1]);
  parse.mockRestore();
});

it.each([
  ["at any depth", `${"[".repeat(12_000)}${BIG}${"]".repeat(12_000)}`],
  ["alone", BIG],
  ["in a field with a name of objects", `{"__proto__":${BIG},"constructor":[${BIG}]}`],
  ["beside the text that stands for it", `[${BIG},"\\u0001precis number 0","\\u0001precis number x"]`],
  ["as text and as number", `["${BIG}",${BIG},-${BIG}.5e7]`],
])("keeps numbers %s", (_, text) => {
  expect(stringifyDeep(parseExact(text))).toBe(text);
});

it("a field that comes twice counts as it does for any parser", () => {
  expect(JSON.stringify(parseExact(`{"a":${BIG},"a":2,"b":${BIG}}`))).toBe(`{"a":2,"b":${BIG}}`);
});

it.each(["[01e400]", `[0${BIG}]`, `[+${BIG}]`, `[${BIG}.]`, `[${BIG}${BIG}e]`, `[1 ${BIG}]`])(
  "%s isn't JSON because a number in it is long",
  (text) => {
    expect(() => parseExact(text)).toThrow(SyntaxError);
  },
);
