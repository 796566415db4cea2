import fc from "fast-check";
import { expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { NOT_SHOWN } from "../../src/engine/ladder/step.ts";
import { chat } from "../../src/testing/index.ts";
import { changeValue } from "../support/change-json.ts";
import { talk } from "../support/host.ts";
import { byProof } from "../support/proof.ts";

const RUNS = byProof({ sample: 60, more: 2_000, all: 20_000 });
const SYSTEM = chat.system("You help.");
const strict = { ...openaiChat, rules: { ...openaiChat.rules, alternation: "strict" as const } };
const TURNS = 60;

/** A host without a key whose process ends after each request. */
async function fitOnce(transcript: readonly ChatMessage[], state: unknown, pins: readonly number[]) {
  const compactor = createCompactor({ dialect: strict, budget: 3_000, recall: { auto: true } });
  const now = 1_700_000_000_000 + transcript.length * 1_000;
  const result = await compactor.fit(transcript, { state, pins: [...pins], now });
  await compactor.close();
  return result;
}

async function session(system: readonly ChatMessage[], pins: readonly number[]) {
  const transcript: ChatMessage[] = [...system];
  const outcomes: string[] = [];
  let state: unknown;
  for (const message of talk(TURNS)) {
    transcript.push(message);
    if (message.role !== "user") continue;
    const result = await fitOnce(
      transcript,
      state,
      pins.filter((pin) => pin < transcript.length - 4),
    );
    state = JSON.parse(JSON.stringify(result.state));
    outcomes.push(result.report.outcome);
    const roles = result.messages.map(({ role }) => role).filter((role) => role !== "system");
    expect(roles.every((role, at) => role !== roles[at - 1])).toBe(true);
  }
  return { transcript, state, compactions: outcomes.filter((outcome) => outcome === "compacted").length };
}

it.each([
  ["a system prompt", [SYSTEM], []],
  ["no system prompt", [], []],
  ["pinned answers", [SYSTEM], [2, 6, 10]],
])("an unsigned state doesn't compact every request: %s", async (_, system, pins) => {
  const { compactions } = await session(system, pins);
  expect(compactions).toBeLessThanOrEqual(8);
});

it("no field of an unsigned state is a source of roles, of system text or of anybody's words", {
  timeout: 600_000,
}, async () => {
  const pins = [2, 6, 10];
  const { transcript: whole, state } = await session([SYSTEM], pins);
  const transcript = [...whole, chat.user("What did module-3.ts export?")];
  const known = new Set(transcript.map((message) => JSON.stringify(message)));
  const junk = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      -1,
      0,
      1,
      1e308,
      "",
      "constructor",
      "__proto__",
      [],
      {},
      "system",
      "assistant",
      ["insert", 0, "system"],
    ),
    fc.jsonValue({ maxDepth: 3 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(), junk), { minLength: 1, maxLength: 3 }), async (changes) => {
      const copy = structuredClone(state) as object;
      for (const [where, value] of changes) changeValue(copy, where, value);
      const { messages } = await fitOnce(transcript, copy, pins);
      for (const message of messages) {
        if (message.role === "user" || known.has(JSON.stringify(message))) continue;
        const { role, content } = message;
        // What precis itself compacted anew may go into the system prompt; nothing of the state does.
        if (role === "system")
          expect(String(content)).toMatch(/^You help\.\n*<conversation-summary>\nA record/);
        else expect(content).toBe(NOT_SHOWN);
      }
    }),
    { numRuns: RUNS, seed: 31 },
  );
});
