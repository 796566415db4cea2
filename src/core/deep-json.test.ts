import fc from "fast-check";
import { expect, it } from "vitest";
import { parseExact, parseReadable, stringifyDeep } from "./json.ts";

/** Deeper than any stack. */
const DEEP = 12_000;

it.each([
  ["lists", "[".repeat(DEEP) + "]".repeat(DEEP)],
  ["objects", `${'{"a":'.repeat(DEEP)}1${"}".repeat(DEEP)}`],
  ["both, beside other values", `${'[1,{"a\\"":'.repeat(DEEP)}"x"${',"b":[null]},true]'.repeat(DEEP)}`],
])("writes %s of any depth as they were", (_, text) => {
  expect(stringifyDeep(JSON.parse(text))).toBe(text);
});

it("writes whatever is JSON as JSON.stringify does, also where it has to do without a stack", () => {
  // A shallow value beside a deep one is written by the same code as the deep one.
  const deep: unknown = JSON.parse("[".repeat(DEEP) + "]".repeat(DEEP));
  const rest = "[".repeat(DEEP) + "]".repeat(DEEP);
  fc.assert(
    fc.property(fc.anything({ withDate: true, maxDepth: 4 }), (value) => {
      let plain: string;
      try {
        plain = JSON.stringify([value]);
      } catch {
        expect(() => stringifyDeep([deep, value])).toThrow(TypeError);
        return;
      }
      expect(stringifyDeep([value])).toBe(plain);
      expect(stringifyDeep([deep, value])).toBe(`[${rest},${plain.slice(1)}`);
    }),
    { numRuns: 30 },
  );
});

it("keeps numbers that a double can't hold", () => {
  const text = `[${"[".repeat(DEEP)}12345678901234567890${"]".repeat(DEEP)}]`;
  expect(
    stringifyDeep([parseExact("12345678901234567890"), JSON.parse("[".repeat(DEEP) + "]".repeat(DEEP))]),
  ).toContain("[12345678901234567890,[");
  expect(stringifyDeep(JSON.parse(text)).length).toBeGreaterThan(2 * DEEP);
});

it("refuses a value that holds itself", () => {
  const itself: unknown[] = [JSON.parse("[".repeat(DEEP) + "]".repeat(DEEP))];
  itself.push(itself);
  expect(() => stringifyDeep(itself)).toThrow(TypeError);
});

it("reads what is nested as deep as people write it, and takes the rest for text", () => {
  const nested = (depth: number) => `${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`;
  expect(parseReadable(nested(200))).toEqual(JSON.parse(nested(200)));
  expect(() => parseReadable(nested(201))).toThrow(SyntaxError);
  // Brackets inside of texts are no levels.
  const said = JSON.stringify(["[{".repeat(1_000), '\\"['.repeat(1_000)]);
  expect(parseReadable(said)).toEqual(JSON.parse(said));
});
