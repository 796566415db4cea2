import { expect, it } from "vitest";
import type { ModelCall, Report } from "../../core/types.ts";
import { failedSummary } from "../requests/describe-failure.ts";

const call = (result: ModelCall["result"], note?: string): ModelCall => ({
  name: "summarize-full",
  rung: "full",
  covers: [],
  cap: 100,
  model: "m",
  result,
  ...(note !== undefined && { note }),
  cost: 0,
});
const report = (outcome: Report["outcome"], ...modelCalls: ModelCall[]) => ({
  outcome,
  modelCalls,
  rungs: [{ rung: "extractive", result: outcome === "compacted" ? "used" : "nothing-to-gain" }] as const,
});

it("says why, without the name of a class, and what took over", () => {
  const failed = report("compacted", call("failed", "ModelError: precis: model m: 401."));
  expect(failedSummary(failed)).toEqual({ message: "precis: model m: 401.", fallback: "extractive" });
});

it("says it too where nothing was gained in the end, and the report holds no calls", () => {
  expect(failedSummary(report("nothing-to-gain"), "401.")).toEqual({ message: "401.", fallback: undefined });
});

it("says nothing where another try was good, or nobody was asked", () => {
  expect(failedSummary(report("compacted", call("rejected", "empty"), call("accepted")))).toBeUndefined();
  expect(failedSummary(report("compacted"))).toBeUndefined();
});
