import { expect, test } from "vitest";
import { escapeHtml, scaleSteps } from "./report.ts";

test.each([1, 7, 99, 1_000, 27_360, 117_248, 43_700_000])("a scale up to %i has a few round steps", (top) => {
  const steps = scaleSteps(top);
  expect(steps[0]).toBe(0);
  expect(steps.length).toBeGreaterThanOrEqual(3);
  expect(steps.length).toBeLessThanOrEqual(6);
  expect(steps.at(-1)).toBeLessThanOrEqual(top);
});

test("nothing that was said can become markup", () => {
  expect(escapeHtml(`<img src=x onerror="a('&')">\u0000`)).toBe(
    "&lt;img src=x onerror=&quot;a(&#39;&amp;&#39;)&quot;&gt;\ufffd",
  );
});
