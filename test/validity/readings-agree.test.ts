import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostileWire } from "../../src/testing/arbitraries/index.ts";
import { deepFreeze, wireFacts } from "../../src/testing/index.ts";
import { DIALECT_IDS, dialectOf } from "../support/dialects.ts";
import { byProof } from "../support/proof.ts";

const RUNS = byProof({ sample: 50, more: 5_000, all: 20_000 });

describe.each(DIALECT_IDS)("%s", (id) => {
  it("the dialect and the wire reader of the tests see the same calls, results and words", () => {
    const dialect = dialectOf(id);
    fc.assert(
      fc.property(hostileWire(id), ({ messages }) => {
        for (const message of deepFreeze(messages)) {
          const { role, parts } = dialect.read(message);
          const facts = wireFacts(id, message);
          const ids = (type: "tool-call" | "tool-result") =>
            parts.flatMap((part) => (part.type === type && part.locked !== true ? [part.id] : [])).sort();
          const legacy = ["function_call", "name"].some((field) => field in message) && id === "openai-chat";
          if (!legacy) {
            expect(ids("tool-call")).toEqual(facts.calls.map((call) => call.id).sort());
            expect(ids("tool-result")).toEqual(facts.results.map((result) => result.id).sort());
          }
          if (facts.results.length === 0 && role !== "tool") expect(role).toBe(facts.role);
          if (facts.role === "user") {
            const said = parts.flatMap((part) =>
              part.type === "text" && part.text !== "" ? [part.text] : [],
            );
            expect(said).toEqual(facts.words);
          }
        }
      }),
      { numRuns: RUNS, seed: 5 },
    );
  });
});
