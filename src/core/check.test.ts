import { expect, test } from "vitest";
import { faultOf } from "./check.ts";

test("a threshold is a share or at least 100 tokens; what lies between is refused as a slip", () => {
  const threshold = { is: "threshold" } as const;
  for (const value of [0.8, 1, 100, 8_000]) expect(faultOf(threshold, value)).toBeUndefined();
  for (const value of [0, -1, 1.5, 80, 99.9, Number.NaN, Number.POSITIVE_INFINITY, "0.8"])
    expect(faultOf(threshold, value), String(value)).toBeDefined();
  expect(faultOf(threshold, 80)?.fix).toMatch(/^Did you mean 0\.8\? Give a share above 0/);
  expect(faultOf(threshold, 99_999_999_999)?.problem).toBe("is larger than any window");
  expect(faultOf({ ...threshold, none: true }, 0)).toBeUndefined();
});

test("only who may write a unit is told of units", () => {
  expect(faultOf({ is: "size" }, "x")?.fix).not.toContain("32k");
  expect(faultOf({ is: "size" }, "x", true)?.fix).toContain("32k");
});

test("a strategy of streams is refused as one", () => {
  expect(faultOf({ is: "choice", what: "strategy", names: ["none"] }, "state")?.problem).toBe(
    "is a strategy of streaming sessions only",
  );
});
