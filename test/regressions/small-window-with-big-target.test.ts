import { expect, it } from "vitest";
import { createHost, session } from "../support/host.ts";

it("a target above the model's window never reaches the provider", async () => {
  const { messages } = session(200);
  const host = createHost({ window: 8_192, budget: 50_000 }, messages);
  const { report } = await host.fit();
  expect(report.budget.budget).toBeLessThan(8_192);
  expect(report.budget.budget).toBe(8_192 - report.budget.reserve - report.budget.safety);
  expect(report.tokens.after).toBeLessThanOrEqual(report.budget.budget);
});
