import fc from "fast-check";
import { expect, test } from "vitest";
import { clipArgs, clipText } from "./clip.ts";

const count = (text: string) => Math.ceil(text.length / 4);

test("a text that fits is returned as it is", () => {
  expect(clipText("short", 100, count)).toBe("short");
});

test.each(["\\n", "\\u00e9", "\\\\", '\\"'])("a cut never goes through %s", (sequence) => {
  for (let shift = 0; shift < 8; shift++) {
    const clipped = clipText("x".repeat(shift) + sequence.repeat(200), 60, count)!;
    const [head, tail] = clipped.split(/ \[.*\] /);
    expect(head!.slice(shift).replaceAll(sequence, "")).toBe("");
    expect(tail!.replaceAll(sequence, "")).toBe("");
  }
});

test("head and tail stay, cut at lines, and the marker says how much is missing", () => {
  const lines = Array.from({ length: 200 }, (_, n) => `line ${n}`);
  const clipped = clipText(lines.join("\n"), 100, count)!;
  expect(clipped.startsWith("line 0\n")).toBe(true);
  expect(clipped.endsWith("\nline 199")).toBe(true);
  expect(clipped).toMatch(/\n\[… \d+ characters, \d+ lines not shown …\]\n/);
  for (const line of clipped.split("\n").filter((one) => !one.startsWith("["))) expect(lines).toContain(line);
  const [head, tail] = clipped.split(/\n\[.*\]\n/);
  expect(tail!.length).toBeGreaterThan(head!.length);
});

test.each([1, 2, 7, 9, 300, 1_000])(
  "lines that aren't shown are counted, of up to %i characters",
  (length) => {
    const lines = Array.from({ length: 5_000 }, (_, n) => "x".repeat(1 + ((n * 7) % length)));
    const clipped = clipText(lines.join("\n"), 500 + length, count)!;
    const [, hidden] = /, (\d+) lines not shown/.exec(clipped)!;
    // The marker stands in a line of its own.
    expect(Number(hidden) + clipped.split("\n").length - 2).toBe(lines.length);
  },
);

test("never more than the allowance, never half a character", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", minLength: 50, maxLength: 2_000 }),
      fc.nat(200),
      (text, allowance) => {
        const clipped = clipText(text, allowance, count);
        if (clipped === undefined) return;
        expect(count(clipped)).toBeLessThanOrEqual(allowance);
        expect(clipped.isWellFormed()).toBe(true);
      },
    ),
  );
});

test("arguments stay a JSON object with the same keys", () => {
  const args = JSON.stringify({ path: "src/a.ts", content: "x\n".repeat(5_000), lines: [1, 2, 3] });
  const clipped = clipArgs(args, 60, count)!;
  expect(count(clipped)).toBeLessThanOrEqual(60);
  expect(Object.keys(JSON.parse(clipped) as object)).toEqual(["path", "content", "lines"]);
  expect((JSON.parse(clipped) as { path: string }).path).toBe("src/a.ts");
});

test("arguments that aren't an object become one, or an empty one", () => {
  expect(JSON.parse(clipArgs(`not json ${"x".repeat(4_000)}`, 50, count)!)).toHaveProperty("clipped");
  expect(clipArgs(JSON.stringify({ [`${"k".repeat(900)}`]: 1 }), 20, count)).toBe("{}");
});

test("clipped arguments keep numbers that a double can't hold", () => {
  const args = `{"id":1234567890123456789,"ids":[1e400],"text":"${"word ".repeat(4_000)}"}`;
  const clipped = clipArgs(args, 60, count)!;
  expect(clipped.length).toBeLessThan(args.length);
  expect(clipped).toContain('"id":1234567890123456789,"ids":[1e400]');
});
