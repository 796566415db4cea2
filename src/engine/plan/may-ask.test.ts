import { expect, test } from "vitest";
import { createCircuit } from "./may-ask.ts";

test("after a failure pressure must grow by 0.05 before the model is asked again", () => {
  const circuit = createCircuit();
  circuit.failed("a", 0.8, 0);
  expect(circuit.allows("a", 0.84, 1)).toBe(false);
  expect(circuit.allows("a", 0.851, 1)).toBe(true);
  expect(circuit.allows("b", 0.8, 1)).toBe(true);
});

test("an applied compaction starts pressure over", () => {
  const circuit = createCircuit();
  circuit.failed("a", 0.8, 0);
  circuit.applied("a");
  expect(circuit.allows("a", 0.8, 1)).toBe(true);
});

test("three failures in a row open the circuit for everybody; it closes by itself", () => {
  const circuit = createCircuit();
  for (const name of ["a", "b", "c"]) circuit.failed(name, 0.8, 0);
  expect(circuit.allows("d", 0.8, 60_000)).toBe(false);
  expect(circuit.allows("d", 0.8, 300_000)).toBe(true);
  circuit.failed("d", 0.8, 300_000);
  expect(circuit.allows("e", 0.8, 300_001)).toBe(false);
  circuit.succeeded("d");
  expect(circuit.allows("e", 0.8, 300_002)).toBe(true);
});

test("a failure that came after its compaction was applied doesn't count against the pressure that is left", () => {
  const circuit = createCircuit();
  circuit.begun("a");
  circuit.applied("a");
  circuit.failed("a", 1.02, 0);
  expect(circuit.allows("a", 0.8, 0)).toBe(true);
  circuit.begun("a");
  circuit.failed("a", 0.8, 0);
  expect(circuit.allows("a", 0.81, 0)).toBe(false);
});
