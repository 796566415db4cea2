import { expect, it } from "vitest";
import type { TimelineEvent } from "../../../src/gateway/api.ts";
import { columnsOf, openFailure } from "./turns.ts";

const event = (id: string, type: string, more: object = {}) =>
  ({ id, at: 1, conversation: "c", type, ...more }) as unknown as TimelineEvent;
const failed = event("5", "failed", { message: "no key", fallback: "extractive" });

it("a failure stays until a model's summary has made it good, or a person has seen it", () => {
  expect(openFailure([])).toBeUndefined();
  expect(openFailure([failed])).toMatchObject({ message: "no key", fallback: "extractive" });
  expect(openFailure([failed, event("6", "compacted", { rung: "extractive" })])).toBeDefined();
  expect(openFailure([failed, event("6", "compacted", { rung: "full" })])).toBeUndefined();
  const later = event("6", "compacted", { rung: "extractive", request: "another" });
  expect(openFailure([failed, later])).toBeUndefined();
  expect(openFailure([failed, event("6", "summary")])).toBeUndefined();
  expect(openFailure([event("1", "summary"), failed], "5")).toBeUndefined();
});

it("the places of a chart have the numbers of the messages, those of the system prompt included", () => {
  const points = [
    { messages: 1, transcript: 10, view: 10, compacted: false },
    { messages: 19, transcript: 90, view: 20, compacted: true },
  ];
  expect(columnsOf(points, 1)).toMatchObject({ x: [2, 20], compacted: [20] });
  expect(columnsOf(points, 0).x).toEqual([1, 19]);
});
