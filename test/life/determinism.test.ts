import { expect, it } from "vitest";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { DIALECT_IDS, dialectOf } from "../support/dialects.ts";
import { sent, session } from "../support/host.ts";
import { STRATEGIES } from "../support/property-suite.ts";

const NOW = 1_700_000_000_000;

it.each(DIALECT_IDS)("%s: the same input gives the same bytes, plan and state", async (id) => {
  const { messages, system } = session(40, id);
  const input = { now: NOW, ...(system !== undefined && { system }) };
  for (const strategy of STRATEGIES) {
    if (strategy === "none") continue;
    const make = () => createCompactor<object>({ dialect: dialectOf(id), budget: 2_500, strategy });
    const [one, two] = [make(), make()];
    const a = await one.fit(messages, input);
    const b = await two.fit(structuredClone(messages), structuredClone(input));
    expect(sent(a)).toBe(sent(b));
    expect(JSON.stringify(a.state)).toBe(JSON.stringify(b.state));
    expect(JSON.stringify(a.report)).toBe(JSON.stringify(b.report));
    const plan = await make().plan(messages, input);
    expect(plan.entries).toEqual(a.report.entries);
    expect(JSON.stringify(await make().plan(messages, input))).toBe(JSON.stringify(plan));
  }
});
