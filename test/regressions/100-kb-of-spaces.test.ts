import { expect, it } from "vitest";
import { toWire } from "../../src/testing/arbitraries/index.ts";
import { measure } from "../support/count.ts";
import { DIALECT_IDS, dialectOf } from "../support/dialects.ts";
import { judgeFit } from "../support/judge-fit.ts";

// A frozen counter shows as the test runner's own timeout: minutes or hours instead of milliseconds.
const RUNS: readonly (readonly [string, string])[] = [
  ["spaces", " ".repeat(100_000)],
  ["newlines", "\n".repeat(100_000)],
  ["tabs", "\t".repeat(100_000)],
  ["one letter", "a".repeat(100_000)],
  ["dashes", "-".repeat(100_000)],
  ["one CJK character", "字".repeat(100_000)],
  ["emoji", "😀".repeat(50_000)],
  ["combining marks", "\u0301".repeat(100_000)],
  ["non-breaking spaces", "\u00a0".repeat(100_000)],
];

it.each(RUNS)("100 KB of %s is counted and compacted", async (_name, text) => {
  expect(measure.text(text)).toBeGreaterThan(100);
  for (const id of DIALECT_IDS) {
    const wire = toWire(id, [
      { role: "user", parts: [{ type: "text", text: "Read it." }] },
      { role: "assistant", parts: [{ type: "tool-call", id: "c", name: "read", args: "{}" }] },
      { role: "tool", parts: [{ type: "tool-result", id: "c", name: "read", text }] },
      { role: "assistant", parts: [{ type: "text", text }] },
      { role: "user", parts: [{ type: "text", text: "And?" }] },
    ]);
    const { breaches } = await judgeFit({ ...wire, dialect: dialectOf(id).id, budget: 500 });
    expect(breaches).toEqual([]);
  }
});
