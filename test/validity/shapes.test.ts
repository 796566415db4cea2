import { describe, expect, it } from "vitest";
import type { Message, StrategyName } from "../../src/core/types.ts";
import { hostileTalk, longRun, toWire } from "../../src/testing/arbitraries/index.ts";
import { counterOf } from "../support/count.ts";
import { DIALECT_IDS, dialectOf } from "../support/dialects.ts";
import { judgeFit } from "../support/judge-fit.ts";
import { byProof } from "../support/proof.ts";
import { STRATEGIES } from "../support/property-suite.ts";

const say = (role: "user" | "assistant" | "system", text: string): Message => ({
  role,
  parts: [{ type: "text", text }],
});

const ROUNDS = byProof({ sample: 80, more: 300, all: 300 });
const MANY = byProof({ sample: 500, more: 2_000, all: 10_000 });

/** Whole transcripts of a shape that generators reach too rarely, or that are too large to shrink. */
const SHAPES: Readonly<Record<string, () => Message[]>> = {
  [`one user message and ${ROUNDS} rounds`]: () => longRun(ROUNDS),
  [`${MANY} messages`]: () =>
    Array.from({ length: MANY }, (_, index) =>
      say(index % 2 === 0 ? "user" : "assistant", `Message ${index} says something short.`),
    ),
  "one giant user message in the middle": () => [
    say("system", "Be brief."),
    say("user", "First."),
    say("assistant", "Yes?"),
    say("user", "log line 4711: everything is fine\n".repeat(40_000)),
    say("assistant", "That was long."),
    say("user", "What was my first word?"),
  ],
  "a giant result as the newest message": () => [
    say("user", "Read it."),
    {
      role: "assistant",
      parts: [{ type: "tool-call", id: "big", name: "read", args: '{"path":"big.log"}' }],
    },
    {
      role: "tool",
      parts: [{ type: "tool-result", id: "big", name: "read", text: "row 1, row 2\n".repeat(30_000) }],
    },
  ],
  "a giant single line": () => [
    say("user", "Look."),
    { role: "assistant", parts: [{ type: "tool-call", id: "l", name: "read", args: "{}" }] },
    { role: "tool", parts: [{ type: "tool-result", id: "l", name: "read", text: "x1y2".repeat(100_000) }] },
    say("assistant", "Seen."),
    say("user", "Well?"),
  ],
  "huge arguments": () =>
    Array.from({ length: 6 }, (_, index): Message[] => [
      say("user", `Write file ${index}.`),
      {
        role: "assistant",
        parts: [
          {
            type: "tool-call",
            id: `w${index}`,
            name: "write",
            args: JSON.stringify({
              path: `f${index}.txt`,
              content: `${"lorem ipsum ".repeat(2_000)}${index}`,
            }),
          },
        ],
      },
      { role: "tool", parts: [{ type: "tool-result", id: `w${index}`, name: "write", text: "ok" }] },
    ]).flat(),
  "hostile texts as talk": hostileTalk,
  "a system message before every turn": () =>
    Array.from({ length: 40 }, (_, index) => [
      say("system", `Rule ${index}.`),
      say("user", `Question ${index}? `.repeat(20)),
      say("assistant", `Answer ${index}. `.repeat(20)),
    ]).flat(),
  "50 parallel calls in one round, answered backwards": () => {
    const ids = Array.from({ length: 50 }, (_, index) => `p${index}`);
    return [
      say("user", "All at once."),
      { role: "assistant", parts: ids.map((id) => ({ type: "tool-call", id, name: "read", args: "{}" })) },
      {
        role: "tool",
        parts: ids
          .toReversed()
          .map((id) => ({ type: "tool-result", id, name: "read", text: `${id}: body\n`.repeat(40) })),
      },
      say("user", "And?"),
    ];
  },
  "an empty transcript": () => [],
  "only a system message": () => [say("system", "Be brief.")],
};

const SHARES = byProof({
  sample: [0.1, 0.5],
  more: [0.02, 0.1, 0.5],
  all: [0.02, 0.05, 0.1, 0.25, 0.5, 0.9, 1],
});
const STRATEGY_LIST: readonly StrategyName[] = byProof({
  sample: ["summarize-oldest", "drop-middle"],
  more: STRATEGIES,
  all: STRATEGIES,
});
const TIMEOUT_MS = 600_000;
const SMALLEST_BUDGET = 50;

describe.each(DIALECT_IDS)("shapes in %s", (id) => {
  it.each(Object.keys(SHAPES))("%s", { timeout: TIMEOUT_MS }, async (name) => {
    const wire = toWire(id, SHAPES[name]!());
    const count = counterOf(dialectOf(id));
    const total = wire.messages.reduce((sum, message) => sum + count(message), 0);
    for (const share of SHARES)
      for (const strategy of STRATEGY_LIST) {
        const budget = Math.max(SMALLEST_BUDGET, Math.round(total * share));
        const { breaches } = await judgeFit({ ...wire, dialect: id, budget, strategy }, count);
        expect(breaches, `${strategy} at ${share}, budget ${budget}`).toEqual([]);
      }
  });
});
