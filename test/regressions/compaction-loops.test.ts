import { expect, it } from "vitest";
import { chat } from "../../src/testing/index.ts";
import { createHost, talk } from "../support/host.ts";

it.each([0.5, 0.7, 0.85])("a head of %d of the budget doesn't make every turn compact", async (share) => {
  const budget = 6_000;
  const rule = "Rule of the house, to be followed to the letter. ";
  const host = createHost({ budget }, [chat.system(rule.repeat(Math.floor((budget * share) / 11)))]);
  let compactions = 0;
  const messages = talk(60);
  for (const message of messages) {
    host.transcript.push(message);
    const { report } = await host.fit();
    if (report.outcome === "compacted") compactions++;
  }
  expect(compactions).toBeGreaterThan(0);
  expect(compactions).toBeLessThan(messages.length / 2);
});

/** A compaction by hand takes half of what can go; more of them than this would be a loop. */
const MOST_BY_HAND = 8;

it("compact, again and again, gets smaller each time until it gains nothing, and says so", async () => {
  const host = createHost({ budget: 30_000 }, talk(30));
  const sizes: number[] = [];
  let result = await host.compact();
  while (result.report.outcome === "compacted" && sizes.length < MOST_BY_HAND) {
    expect(result.report.tokens.after).toBeLessThan(result.report.tokens.before);
    sizes.push(result.report.tokens.after);
    result = await host.compact();
  }
  expect(sizes.length).toBeGreaterThanOrEqual(2);
  expect(result.report.outcome).toBe("nothing-to-gain");
  const again = await host.compact();
  expect(again.report.outcome).toBe("nothing-to-gain");
  expect(again.state.checkpoints).toEqual(result.state.checkpoints);
  expect(again.messages).toEqual(result.messages);
});

it("a second fit of the same transcript stands on the compaction of the first", async () => {
  const host = createHost({ budget: 3_000 }, talk(30));
  const first = await host.fit();
  expect(first.report.outcome).toBe("compacted");
  const again = await host.fit();
  expect(again.report.outcome).toBe("view");
  expect(again.state.checkpoints).toEqual(first.state.checkpoints);
});
