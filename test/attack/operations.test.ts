import { expect, it } from "vitest";
import type { FitResult, PrefixReason } from "../../src/core/types.ts";
import { DIALECT_IDS } from "../support/dialects.ts";
import { byProof, PROOF } from "../support/proof.ts";
import { judgeStep } from "./judge-step.ts";
import { OPERATIONS } from "./operations.ts";
import { createSession, type Session } from "./session.ts";
import { markersIn } from "./writer.ts";

/**
 * Whatever a host does, and in whichever order: nothing that it took back is shown, a view extends the one before it or says
 * why not, and what must be shown is shown.
 */
const SESSIONS = byProof({ sample: 5, more: 80, all: 2_500 });
/** Each level tries sessions of its own. A failure names its seed and the operations before it. */
const FIRST_SEED = { sample: 1_000_000, more: 2_000_000, all: 3_000_000 }[PROOF];
const STEPS = [6, 22] as const;
const PAUSE_MS = [1_000, 600_000] as const;
/** Conversations mostly grow. */
const NAMES = [...Object.keys(OPERATIONS), "append", "append", "append", "append"];

/** What was cut to fit one budget isn't left cut in a budget so many times as large. */
const MUCH_LARGER = 2;
const CUTS_BACK = new Set(["truncate", "fork", "back to a fork"]);

/** Plays one session to its first fault, and says what led to it. */
async function play(seed: number, dialect: string): Promise<string | undefined> {
  const session = createSession(seed, dialect);
  const { random } = session;
  const ever = new Set<string>();
  const done: string[] = [];
  const compactedAt = new Set<string>();
  let cutBack = false;
  let compactedFor = Number.POSITIVE_INFINITY;
  let may = new Set<PrefixReason>(["compaction"]);
  for (let step = random.int(...STEPS); step > 0; step--) {
    const name = random.pick(NAMES);
    done.push(name);
    session.clock += random.int(...PAUSE_MS);
    const { may: reasons = [], run } = OPERATIONS[name]!;
    for (const reason of reasons) may.add(reason);
    // The last user message of what is left may be one that a compaction hides: it is shown as long as it is the last one.
    cutBack ||= CUTS_BACK.has(name);
    if (cutBack) may.add("pin");
    const asked = await run(session);
    // What was made for little room may hide a round that fits the conversation's own budget.
    const forLess = compactedFor * MUCH_LARGER <= session.budget;
    if (forLess) may.add("larger-budget");
    const { result, beside = false } = asked ?? {
      result: await session.ask((compactor, messages, input) => compactor.fit(messages, input)),
    };
    const alive = markersIn([session.conversation, session.hostState]);
    for (const marker of alive) ever.add(marker);
    if (result === undefined) continue;
    const taken = [...ever].filter((marker) => !alive.has(marker));
    const faults = judgeStep({
      session,
      result,
      beside,
      taken,
      may,
      compactedAt,
      forLess,
      ownBudget: asked === undefined,
    });
    if (faults.length > 0) return `seed ${seed}, ${done.slice(-8).join(" → ")}: ${faults.join("; ")}`;
    if (result.report.outcome === "compacted") {
      if (!beside) compactedFor = result.report.budget.budget;
      for (const { rounds } of session.conversation.turns)
        for (const { calls } of rounds) for (const { id } of calls) compactedAt.add(id);
    }
    await remember(session, result, beside);
    if (!beside) may = new Set(["compaction"]);
  }
  await session.compactor.settled();
  return undefined;
}

/** Hosts keep the state that they get at once, or the one that comes with a summary. */
async function remember(session: Session, result: FitResult<object>, beside: boolean): Promise<void> {
  const state = session.random.chance(0.5) ? result.state : await result.background;
  session.memory = { state, view: beside ? session.memory.view : result };
}

it.each(DIALECT_IDS)(`%s: ${SESSIONS} sessions of many operations`, async (dialect) => {
  const failures: string[] = [];
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SESSIONS; seed++) {
    const failure = await play(seed, dialect).catch((error: Error) => `seed ${seed}: ${error.stack}`);
    if (failure !== undefined) failures.push(failure);
  }
  expect(failures).toEqual([]);
});
