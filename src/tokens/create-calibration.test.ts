import fc from "fast-check";
import { expect, test } from "vitest";
import { createCalibration } from "./create-calibration.ts";
import { modelInfo } from "./model-info.ts";

const MODEL = "some-model";

test("starts at the registry's factor", () => {
  const calibration = createCalibration();
  for (const model of ["gpt-4o", "claude-opus-4-8", "claude-sonnet-4-5", MODEL])
    expect(calibration.factor(model)).toBe(modelInfo(model).factor);
  expect(calibration.factor("claude-opus-4-8")).toBeGreaterThan(1.3);
});

test("is the ratio of sums, per model", () => {
  const calibration = createCalibration();
  calibration.observe({ model: MODEL, counted: 10_000, reported: 12_500 });
  expect(calibration.factor(MODEL)).toBe(1.25);
  calibration.observe({ model: MODEL, counted: 30_000, reported: 31_500 });
  expect(calibration.factor(MODEL)).toBe(1.1);
  expect(calibration.factor("gpt-4o")).toBe(1);
});

test("a count that was made with a factor teaches the same", () => {
  const calibration = createCalibration();
  calibration.observe({ model: MODEL, counted: 14_000, reported: 13_000, factor: 1.4 });
  expect(calibration.factor(MODEL)).toBe(1.3);
});

test("feeding back its own factor settles instead of running away", () => {
  const calibration = createCalibration();
  for (let i = 0; i < 100; i++) {
    const factor = calibration.factor(MODEL);
    calibration.observe({ model: MODEL, counted: Math.ceil(10_000 * factor), reported: 13_700, factor });
  }
  expect(calibration.factor(MODEL)).toBeCloseTo(1.37, 3);
});

test("forgets what is long past", () => {
  const calibration = createCalibration();
  for (let i = 0; i < 50; i++) calibration.observe({ model: MODEL, counted: 10_000, reported: 20_000 });
  for (let i = 0; i < 20; i++) calibration.observe({ model: MODEL, counted: 10_000, reported: 11_000 });
  expect(calibration.factor(MODEL)).toBe(1.1);
});

test.each([
  ["tiny requests", { counted: 10, reported: 25 }],
  ["nothing counted", { counted: 0, reported: 5_000 }],
  ["nothing reported", { counted: 5_000, reported: 0 }],
  ["a cached part that was left out", { counted: 50_000, reported: 2_000 }],
  ["another request's numbers", { counted: 1_000, reported: 90_000 }],
  ["not a number", { counted: Number.NaN, reported: 5_000 }],
  ["infinite", { counted: 5_000, reported: Number.POSITIVE_INFINITY }],
  ["a factor of zero", { counted: 5_000, reported: 5_000, factor: 0 }],
])("ignores %s", (_name, observation) => {
  const calibration = createCalibration();
  calibration.observe({ model: MODEL, counted: 10_000, reported: 12_000 });
  calibration.observe({ model: MODEL, ...observation });
  expect(calibration.factor(MODEL)).toBe(1.2);
});

test("whatever it is told, the factor stays within 0.5 and 3 and survives JSON", () => {
  const observation = fc.record({
    model: fc.constantFrom(MODEL, "gpt-4o", "__proto__", "constructor"),
    counted: fc.oneof(fc.double(), fc.integer({ min: 0, max: 1_000_000 })),
    reported: fc.oneof(fc.double(), fc.integer({ min: 0, max: 1_000_000 })),
  });
  fc.assert(
    fc.property(fc.array(observation, { maxLength: 60 }), (observations) => {
      const calibration = createCalibration();
      for (const each of observations) calibration.observe(each);
      const again = createCalibration(JSON.parse(JSON.stringify(calibration)));
      for (const model of [MODEL, "gpt-4o", "constructor"]) {
        expect(calibration.factor(model)).toBeGreaterThanOrEqual(0.5);
        expect(calibration.factor(model)).toBeLessThanOrEqual(3);
        expect(again.factor(model)).toBe(calibration.factor(model));
      }
    }),
  );
});

test("saved rubbish is ignored", () => {
  fc.assert(
    fc.property(fc.anything(), (saved) => {
      expect(createCalibration(saved).factor("gpt-4o")).toBe(1);
    }),
  );
  const partly = { [MODEL]: [[10_000, 12_000], "x", [1], [10_000, "y"], [-5, 8_000]], other: 5 };
  expect(createCalibration(partly).factor(MODEL)).toBe(1.2);
});

test("remembers a bounded number of models", () => {
  const calibration = createCalibration();
  for (let i = 0; i < 1_000; i++)
    calibration.observe({ model: `model-${i}`, counted: 10_000, reported: 12_000 });
  expect(Object.keys(calibration.toJSON()).length).toBeLessThanOrEqual(64);
  expect(calibration.factor("model-999")).toBe(1.2);
});
