import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import type { State } from "../../src/core/types.ts";
import { compileCache } from "../support/compile-cache.ts";
import { DIALECT_IDS } from "../support/dialects.ts";
import { createHost, type Host, sent, session } from "../support/host.ts";
import { programFile } from "../support/programs.ts";
import { byProof } from "../support/proof.ts";

const BUDGET = 4_000;
const ROUNDS = byProof({ sample: 30, more: 40, all: 40 });

async function grown(id: string): Promise<{ host: Host; system: { system?: string } }> {
  const { messages, system } = session(ROUNDS, id);
  const host = createHost({ id, budget: BUDGET });
  const input = system === undefined ? {} : { system };
  for (const message of messages) {
    host.transcript.push(message);
    await host.fit(input);
  }
  return { host, system: input };
}

const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

it.each(DIALECT_IDS)("%s: a restart with saved state sends the same bytes", async (id) => {
  const { host, system } = await grown(id);
  const before = await host.fit(system);
  const reborn = createHost({ id, budget: BUDGET }, json(host.transcript));
  reborn.state = json(host.state) as State;
  const after = await reborn.fit(system);
  expect(after.report.outcome).toBe("view");
  expect(sent(after)).toBe(sent(before));
  expect(after.report.prefixChanged).toBe(false);
});

it.each(DIALECT_IDS)("%s: another process with the saved state sends the same bytes", async (id) => {
  const { host, system } = await grown(id);
  const before = await host.fit(system);
  const child = spawnSync(process.execPath, [programFile("fit-in-child")], {
    input: JSON.stringify({
      id,
      budget: BUDGET,
      transcript: host.transcript,
      state: host.state,
      ...system,
    }),
    encoding: "utf8",
    env: { ...process.env, ...compileCache },
    maxBuffer: 1 << 28,
  });
  expect(child.stderr.replaceAll(/.*ExperimentalWarning.*\n|.*--trace-warnings.*\n/g, "")).toBe("");
  const after = JSON.parse(child.stdout) as { outcome: string; sent: string; checkpoint: string };
  expect(after.outcome).toBe("view");
  expect(after.sent).toBe(sent(before));
  expect(after.checkpoint).toBe(before.report.checkpoint);
});

it("a process without any state still makes a valid view of the same transcript", async () => {
  const { host, system } = await grown("openai-chat");
  const fresh = createHost({ budget: BUDGET }, json(host.transcript));
  const result = await fresh.fit(system);
  expect(result.report.outcome).toBe("compacted");
});

it("one compactor serves a host that ignores `state`", async () => {
  const { messages } = session(ROUNDS);
  const host = createHost({ budget: BUDGET });
  let compactions = 0;
  for (const message of messages) {
    host.transcript.push(message);
    host.state = undefined;
    if ((await host.fit()).report.outcome === "compacted") compactions++;
  }
  expect(compactions).toBeGreaterThan(0);
  expect(compactions).toBeLessThan(messages.length / 4);
});
