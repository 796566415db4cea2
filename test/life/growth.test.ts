import { expect, it } from "vitest";
import { chat } from "../../src/testing/index.ts";
import { DIALECT_IDS } from "../support/dialects.ts";
import { createHost, sent, session, talk } from "../support/host.ts";
import { byProof } from "../support/proof.ts";

const BUDGET = 4_000;

it.each(DIALECT_IDS)("%s: passes through, compacts, stays, and compacts again", async (id) => {
  const { messages, system } = session(byProof({ sample: 50, more: 80, all: 80 }), id);
  const host = createHost({ id, budget: BUDGET });
  const outcomes: string[] = [];
  for (const message of messages) {
    host.transcript.push(message);
    const { report } = await host.fit(system === undefined ? {} : { system });
    outcomes.push(report.outcome);
  }
  expect(outcomes[0]).toBe("pass");
  const compactions = outcomes.filter((outcome) => outcome === "compacted").length;
  expect(compactions).toBeGreaterThanOrEqual(2);
  // Landing at a third of the room leaves many messages between two compactions.
  expect(compactions).toBeLessThan(messages.length / 4);
  expect(outcomes.slice(outcomes.indexOf("compacted"))).not.toContain("pass");
});

it("keeps the user's constraint through many compactions", async () => {
  const rule = "Never touch the folder legacy/, whatever happens.";
  const host = createHost({ budget: 3_000 }, [chat.system("You help."), chat.user(rule)]);
  let compactions = 0;
  for (const message of talk(80)) {
    host.transcript.push(message);
    const result = await host.fit();
    if (result.report.outcome === "compacted") compactions++;
    expect(sent(result)).toContain(rule);
  }
  expect(compactions).toBeGreaterThanOrEqual(5);
});
