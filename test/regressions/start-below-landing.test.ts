import { expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import type { Profile, Tuning } from "../../src/core/types.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { profiles } from "../../src/profiles/index.ts";

import { chat } from "../../src/testing/index.ts";
import { createHost, talk } from "../support/host.ts";
import { byProof } from "../support/proof.ts";

const BUDGET = 5_000;
const TURNS = byProof({ sample: 40, more: 100, all: 100 });
/** Tokens of one turn of the talk and of the question after it. */
const ONE_TURN = 300;
/** A compaction in every fourth turn is the most that the smallest start below leaves room for. */
const MOST = TURNS / 4;

/** How many of the requests were compacted. */
async function compactions(
  options: Tuning & { readonly profile?: Profile },
  system = "You help.",
): Promise<number> {
  const compactor = createCompactor({ dialect: openaiChat, budget: BUDGET, ...options });
  const transcript: ChatMessage[] = [chat.system(system)];
  let state: unknown;
  let count = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    const [question, answer] = talk(1, turn);
    transcript.push(question!);
    const result = await compactor.fit(transcript, { state, now: 1_000_000 + turn * 1_000 });
    state = result.state;
    if (result.report.outcome === "compacted") count++;
    transcript.push(answer!);
  }
  return count;
}

const named = Object.entries(profiles);

it.each([0.3, 0.4, 1_500])("startAt %s by itself lowers the landing", async (startAt) => {
  expect(await compactions({ startAt })).toBeLessThanOrEqual(MOST);
});

it.each(named)("a profile's landing gives way to the host's startAt: %s", async (_, profile) => {
  expect(await compactions({ profile, startAt: 0.4, triggers: { messages: 10_000 } })).toBeLessThanOrEqual(
    MOST,
  );
});

it("a start that the head alone reaches is raised", async () => {
  const system = `You help. ${"Rules are rules. ".repeat(400)}`;
  expect(await compactions({ startAt: 0.3 }, system)).toBeLessThanOrEqual(TURNS * 0.35);
});

it.each([
  { startAt: 0.5, landAt: 0.49 },
  { startAt: 1_500, landAt: 0.5 },
  { startAt: 0.3, landAt: 2_500 },
])("a landing close to the start leaves a quarter of the way: %o", async (options) => {
  expect(await compactions(options)).toBeLessThanOrEqual(TURNS / 2);
});

it.each([0.5, 4_900])("landAt %s by itself stays below the default start", async (landAt) => {
  expect(await compactions({ landAt })).toBeLessThanOrEqual(MOST);
});

it.each([
  { startAt: 0.3, landAt: 0.3 },
  { startAt: 0.3, landAt: 0.4 },
  { startAt: 2_000, landAt: 2_000 },
])("a start at or below the landing is refused, with the fix: %o", (options) => {
  const make = (more: object) => () => createCompactor({ dialect: openaiChat, budget: BUDGET, ...more });
  expect(make(options)).toThrow(/landAt.*startAt.*compact.*Raise startAt, lower landAt, or omit landAt/s);
  expect(make({ profile: { name: "own", ...options } })).toThrow(/Raise startAt/);
});

it("what a profile says gives way to the host: no pair of both is refused", async () => {
  const own = (tuning: Tuning): Profile => ({ name: "own", ...tuning });
  expect(await compactions({ profile: own({ landAt: 0.5 }), startAt: 0.4 })).toBeLessThanOrEqual(MOST);
  expect(await compactions({ profile: own({ startAt: 0.3 }), landAt: 0.4 })).toBeLessThanOrEqual(MOST);
});

it.each([0.02, 0.03, 0.05])(
  "a start of %s of the budget compacts to its landing on and on",
  async (startAt) => {
    const host = createHost({ budget: 8_000, startAt }, [chat.user("Hello.")]);
    for (const message of talk(40)) {
      host.transcript.push(message);
      if (message.role !== "user") continue;
      const { report } = await host.fit();
      expect(report.outcome).not.toBe("nothing-to-gain");
      expect(report.tokens.after).toBeLessThan(Math.max(startAt * 8_000, ONE_TURN));
    }
  },
);
