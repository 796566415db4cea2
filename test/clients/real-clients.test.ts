import { describe, expect, it } from "vitest";
import type { FakeBody } from "../../src/testing/fake-provider/types.ts";
import { byProof } from "../support/proof.ts";
import { recordClient } from "../support/record.ts";
import { type ClientProgram, MACHINE, versionOf } from "./client-program.ts";
import { type LongRun, longRun } from "./long-run.ts";
import { DONE, FIRST_LINE, isWork, RECALL, RULE, SUB_TASK } from "./long-task.ts";
import { missingInStore } from "./missing-in-store.ts";
import { claudeCode, claudeCodeOlder } from "./programs/claude-code.ts";
import { cline } from "./programs/cline.ts";
import { codex } from "./programs/codex.ts";
import { continueCli } from "./programs/continue.ts";
import { copilot } from "./programs/copilot.ts";
import { geminiCli } from "./programs/gemini-cli.ts";
import { opencode } from "./programs/opencode.ts";
import { pi } from "./programs/pi.ts";

const ROUNDS = byProof({ sample: 40, more: 200, all: 200 });
const ROUNDS_PER_LEG = 20;
/** What is looked for was hidden so many rounds ago. */
const ROUNDS_BACK = byProof({ sample: 30, more: 100, all: 100 });
/** The task is many windows long; a compaction frees more than half of one. */
const ROUNDS_PER_COMPACTION = 20;

const programs: readonly ClientProgram[] = [
  ...[claudeCode, claudeCodeOlder, codex, geminiCli, opencode, pi],
  ...[copilot, continueCli, cline],
];

describe.each(programs)("$name", (program) => {
  const exists = program.machines?.includes(MACHINE) ?? true;
  const where = exists ? "" : ` (skipped: it has no package for ${MACHINE} here)`;

  it.skipIf(!exists)(`${ROUNDS} tool rounds in a window that it doesn't know of${where}`, async () => {
    const run = await longRun(program, { rounds: ROUNDS });
    report(program, run);
    recordRun(program, run);
    expectGoodRun(program, run, ROUNDS, 1);
  });

  const isResumable = exists && program.cannotResume === undefined;
  const why = program.cannotResume === undefined ? where : ` (skipped: ${program.cannotResume})`;
  it.skipIf(!isResumable)(`goes on with its session after the gateway was started anew${why}`, async () => {
    const run = await longRun(program, { rounds: ROUNDS_PER_LEG, legs: 2 });
    report(program, run);
    expectGoodRun(program, run, ROUNDS_PER_LEG, 2);
  });
});

/** One for each API. */
const lookingBack = byProof({ sample: [pi], more: [pi, codex, claudeCode], all: [pi, codex, claudeCode] });

it.each(lookingBack)(
  `$name: the model finds by the gateway's tool what was read ${ROUNDS_BACK} rounds ago, and the client sees no call of it`,
  async (program) => {
    const run = await longRun(program, { rounds: ROUNDS_BACK, looksBack: true });
    report(program, run);
    const [ended] = run.ended;
    expect(ended!.code, ended!.err).toBe(0);
    expect(ended!.out).toContain(`${FIRST_LINE.text} ${DONE}`);
    const faults = [...run.sent, ...run.seen].filter(({ status }) => status !== 200);
    expect(faults).toEqual([]);

    // The tool was there from the first request on; when the model called it, the line was hidden.
    const work = run.seen.filter(isWork);
    expect(work.every(({ tools }) => tools.includes(RECALL))).toBe(true);
    const [before, after] = work.slice(-2);
    expect(before!.raw).not.toContain(JSON.stringify(FIRST_LINE.text).slice(1, -1));
    expect(after!.messages.at(-1)!.text).toContain(FIRST_LINE.text);

    expect(run.sent.filter(({ body }) => JSON.stringify(body ?? "").includes(RECALL))).toEqual([]);
    expect(JSON.stringify(run.conversations)).not.toContain(RECALL);
  },
);

function expectGoodRun(program: ClientProgram, run: LongRun, roundsPerLeg: number, legs: number): void {
  const rounds = roundsPerLeg * legs;
  // The client finished its task and saw no error.
  const refused = run.sent.filter((one) => (one.status !== 200 || one.broken) && isOurs(program, one));
  expect(refused.map(({ path, status, answerEnd }) => `${status} ${path}: ${answerEnd}`)).toEqual([]);
  for (const { code, out, err } of run.ended) {
    expect(code, err).toBe(0);
    expect(out).toContain(DONE);
  }
  expect(run.rounds).toBe(rounds);

  // The provider was sent nothing that is too long or not in order, and always what the user wants: a request without
  // the ticket is no work, and one would be missing.
  const faults = run.seen.filter((one) => one.status !== 200 && isOurs(program, one));
  expect(faults.map(({ error, tokens }) => `${error} (${tokens.input})`)).toEqual([]);
  for (const { tokens } of run.seen) expect(tokens.input).toBeLessThanOrEqual(run.window);
  const work = run.seen.filter(isWork);
  expect(work.length).toBe(rounds + legs);
  for (const words of [RULE, ...(program.standing === undefined ? [] : [program.standing])]) {
    const without = work.filter(({ messages }) => !messages.some(({ text }) => text.includes(words)));
    expect(
      without.map(({ number }) => number),
      words,
    ).toEqual([]);
  }

  // It was really compacted, again and again.
  const compactions = run.sent.filter(({ action }) => action === "compacted");
  expect(compactions.length).toBeGreaterThanOrEqual(Math.floor(rounds / ROUNDS_PER_COMPACTION));

  // One conversation holds the task from its first to its last message, side calls have theirs, nothing is missing.
  const tasks = run.conversations.filter(
    ({ messages }) => messages.length > rounds * 2 && JSON.stringify(messages).includes(DONE),
  );
  expect(tasks.length).toBe(1);
  if (program.subAgentCall) {
    const parts = run.conversations.filter(({ messages }) => JSON.stringify(messages[0]).includes(SUB_TASK));
    expect(parts.length).toBe(legs);
  }
  expect(missingInStore(program, run)).toEqual([]);
}

/** What comes of a request is the gateway's doing, unless the provider had refused it anyway. */
function isOurs(program: ClientProgram, { body }: { readonly body?: FakeBody | undefined }): boolean {
  return body === undefined || program.isInvalid?.(body) !== true;
}

/** Refused is what either side answered with an error: the gateway to the client, or the provider to the gateway. */
function recordRun(program: ClientProgram, run: LongRun): void {
  const refused = [...run.sent, ...run.seen].filter(({ status }) => status !== 200);
  recordClient(program.name, {
    version: versionOf(program.package),
    wire: program.api,
    rounds: run.rounds,
    compactions: run.sent.filter(({ action }) => action === "compacted").length,
    refused: refused.filter((one) => isOurs(program, one)).length,
  });
}

function report({ name }: ClientProgram, run: LongRun): void {
  const count = (action: string) => run.sent.filter((one) => one.action === action).length;
  const work = run.seen.filter(isWork);
  const seconds = run.ended.reduce((sum, one) => sum + one.seconds, 0);
  const last = run.sent.findLast(({ body }) => body !== undefined);
  console.log(
    `${name}: ${run.rounds} rounds in ${seconds.toFixed(1)} s; window ${run.window} (first request ${run.fixed}), ` +
      `largest request ${Math.max(...work.map(({ tokens }) => tokens.input))}, last transcript ${JSON.stringify(last?.body ?? "").length} characters; ` +
      `${count("compacted")} compactions, ${count("view")} views, ${count("pass")} passed; ` +
      `${run.seen.length - work.length} other calls; ${run.conversations.length} conversations; ` +
      `asked in vain for ${run.hosts.join(", ") || "nothing"}`,
  );
}
