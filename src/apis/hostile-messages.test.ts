import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Edit, Part } from "../core/types.ts";
import { hostileTranscript, hostileWire, WIRE_DIALECTS } from "../testing/arbitraries/index.ts";
import { checkEdit } from "../testing/check-edit.ts";
import { deepFreeze } from "../testing/deep-freeze.ts";
import { judgeWire } from "../testing/rules/judge-wire.ts";
import { dialectById } from "./dialect-by-id.ts";
import { encode } from "./transcode.ts";

const RUNS = { numRuns: 100 };

function isUntouchable(part: Part): boolean {
  return part.type === "other" || ("locked" in part && part.locked === true);
}

/** Open last calls and an answer at the end are what a transcript may end with. */
function faultsOf(id: string, messages: readonly unknown[]) {
  const { faults, facts } = judgeWire(id, messages);
  const isOpenEnd = (at: number) => facts.slice(at + 1).every(({ role }) => role === "assistant");
  return faults.filter(
    ({ kind, at }) =>
      kind !== "ends-with-assistant" &&
      kind !== "no-messages" &&
      !(kind === "unanswered-call" && isOpenEnd(at)),
  );
}

/**
 * What `checkEdit` can't know: where calls other than `tool_calls` and `function_call` items keep their arguments, and
 * that all texts of a result are one part.
 */
function isExpected(target: Part, breach: string): boolean {
  if (target.type === "tool-call") return /changed its field `(function_call|action|operation)`/.test(breach);
  return target.type === "tool-result" && /lost \d+ texts with 1 replacements/.test(breach);
}

describe.each(WIRE_DIALECTS)("hostile messages: %s", (id) => {
  const dialect = dialectById(id);

  it("are read, and edited in every part without touching another", () => {
    fc.assert(
      fc.property(hostileWire(id), ({ messages }) => {
        for (const message of deepFreeze(messages)) {
          const counted = dialect.read(message).parts.filter((part) => part.type !== "reasoning");
          for (const [part, target] of counted.entries()) {
            if (isUntouchable(target)) continue;
            const text = target.type === "tool-call" ? '{"text":"cut"}' : "cut";
            const edits: Edit[] = [{ type: "replace", part, text, why: "hard-cut" }];
            const breaches = checkEdit(id, message, dialect.edit(message, edits), edits, 0);
            const unexpected = breaches.filter((breach) => !isExpected(target, breach));
            expect(unexpected).toEqual([]);
          }
        }
      }),
      RUNS,
    );
  });

  it("become legal when they are encoded", () => {
    fc.assert(
      fc.property(hostileTranscript, (transcript) => {
        expect(faultsOf(id, encode(id, transcript).messages)).toEqual([]);
      }),
      RUNS,
    );
  });
});
