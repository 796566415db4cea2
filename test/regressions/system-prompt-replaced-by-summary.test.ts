import { describe, expect, it } from "vitest";
import type { Placement } from "../../src/core/types.ts";
import { DIALECT_IDS } from "../support/dialects.ts";
import { createHost, sent, session } from "../support/host.ts";
import { byProof } from "../support/proof.ts";

const LONG = { budget: 5_000, rounds: 60 };
const { budget, rounds } = byProof({ sample: { budget: 3_500, rounds: 36 }, more: LONG, all: LONG });
const PLACEMENTS: readonly Placement[] = ["user", "system", "merged"];

describe.each(DIALECT_IDS)("%s", (id) => {
  it.each(PLACEMENTS)(
    "placement %s: the instructions stay, word for word, beside the summary",
    async (placement) => {
      const { messages, system } = session(rounds, id);
      const host = createHost({ id, budget, placement });
      let compactions = 0;
      for (const message of messages) {
        host.transcript.push(message);
        const result = await host.fit(system === undefined ? {} : { system });
        if (result.report.outcome === "compacted") compactions++;
        // Once and only once: an earlier summary must not carry the instructions along.
        expect(sent(result).split("You are a careful engineer.").length - 1).toBe(1);
        const summaries = result.report.entries.filter((entry) => entry.type === "insert");
        if (compactions > 0) expect(summaries).not.toEqual([]);
      }
      expect(compactions).toBeGreaterThan(1);
    },
  );
});
