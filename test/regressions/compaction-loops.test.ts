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

it("compact twice in a row gains nothing the second time, and says so", async () => {
  const host = createHost({ budget: 30_000 }, talk(30));
  const first = await host.compact();
  expect(first.report.outcome).toBe("compacted");
  const again = await host.compact();
  expect(again.report.outcome).toBe("nothing-to-gain");
  expect(again.state.checkpoints).toEqual(first.state.checkpoints);
  expect(again.messages).toEqual(first.messages);
});

it("a second fit of the same transcript stands on the compaction of the first", async () => {
  const host = createHost({ budget: 3_000 }, talk(30));
  const first = await host.fit();
  expect(first.report.outcome).toBe("compacted");
  const again = await host.fit();
  expect(again.report.outcome).toBe("view");
  expect(again.state.checkpoints).toEqual(first.state.checkpoints);
});
