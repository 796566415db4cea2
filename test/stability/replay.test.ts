import { describe, expect, it } from "vitest";
import type { StrategyName } from "../../src/core/types.ts";
import { DIALECT_IDS } from "../support/dialects.ts";
import { createHost, session } from "../support/host.ts";
import { byProof } from "../support/proof.ts";

const LONG = { budget: 5_000, rounds: 70 };
const { budget, rounds } = byProof({ sample: { budget: 3_500, rounds: 38 }, more: LONG, all: LONG });
/** `drop-all` and `summarize-and-drop` start over whenever they are due; the others extend what they have. */
const STEADY: readonly StrategyName[] = [
  "summarize-oldest",
  "truncate-oldest",
  "drop-middle",
  "tool-summaries",
];

/** A strategy doesn't see the format: the sample tries all of them with one, and with each format the one that edits most. */
const steadyOf = (id: string) =>
  byProof({ sample: id === DIALECT_IDS[0] ? STEADY : STEADY.slice(0, 1), more: STEADY, all: STEADY });

describe.each(DIALECT_IDS)("%s", (id) => {
  it.each(steadyOf(id))(
    "%s: between compactions the previous view is a byte-prefix of the next",
    async (strategy) => {
      const { messages, system } = session(rounds, id);
      for (const keepsState of [true, false]) {
        const host = createHost({ id, budget, strategy });
        let previous: string | undefined;
        let compactions = 0;
        for (const message of messages) {
          host.transcript.push(message);
          if (!keepsState) host.state = undefined;
          const result = await host.fit(system === undefined ? {} : { system });
          const bytes = JSON.stringify([result.system ?? null, ...result.messages]).slice(0, -1);
          const extended = previous === undefined || bytes.startsWith(previous);
          if (result.report.outcome === "compacted") compactions++;
          else expect(extended, `message ${host.transcript.length}`).toBe(true);
          expect(result.report.prefixChanged, `message ${host.transcript.length}`).toBe(!extended);
          previous = bytes;
        }
        expect(compactions).toBeGreaterThan(1);
      }
    },
  );
});
