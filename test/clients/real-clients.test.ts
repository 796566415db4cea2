import { describe, expect, it } from "vitest";
import { byProof } from "../support/proof.ts";
import type { ClientProgram } from "./client-program.ts";
import { type LongRun, longRun } from "./long-run.ts";
import { DONE, isWork, TICKET } from "./long-task.ts";
import { missingInStore } from "./missing-in-store.ts";
import { claudeCode } from "./programs/claude-code.ts";
import { codex } from "./programs/codex.ts";
import { opencode } from "./programs/opencode.ts";
import { pi } from "./programs/pi.ts";

const ROUNDS = byProof({ sample: 40, more: 200, all: 200 });
/** The task is many windows long; a compaction frees more than half of one. */
const ROUNDS_PER_COMPACTION = 20;

const programs: readonly ClientProgram[] = [claudeCode, codex, opencode, pi];

describe(`${ROUNDS} tool rounds in a window that the client doesn't know of`, () => {
  it.each(programs)("$name", async (program) => {
    const run = await longRun(program, ROUNDS);
    report(program, run);

    // The client finished its task and saw no error.
    const refused = run.sent.filter(({ status, broken }) => status !== 200 || broken);
    expect(refused.map(({ path, status, answerEnd }) => `${status} ${path}: ${answerEnd}`)).toEqual([]);
    expect(run.ended.code, run.ended.err).toBe(0);
    expect(run.ended.out).toContain(DONE);
    expect(run.rounds).toBe(ROUNDS);

    // The provider was sent nothing that is too long or not in order, and always what the user wants.
    const faults = run.seen.filter(({ status }) => status !== 200);
    expect(faults.map(({ error, tokens }) => `${error} (${tokens.input})`)).toEqual([]);
    const work = run.seen.filter(isWork);
    expect(work.length).toBe(ROUNDS + 1);
    for (const { tokens, messages } of work) {
      expect(tokens.input).toBeLessThanOrEqual(run.window);
      expect(messages.some(({ text }) => text.includes(TICKET))).toBe(true);
    }

    // It was really compacted, more than once.
    const compactions = run.sent.filter(({ action }) => action === "compacted");
    expect(compactions.length).toBeGreaterThanOrEqual(Math.floor(ROUNDS / ROUNDS_PER_COMPACTION));

    // One conversation holds the task from its first to its last message; nothing that was sent is missing.
    const tasks = run.conversations.filter(({ messages }) => JSON.stringify(messages).includes(DONE));
    expect(tasks.length).toBe(1);
    expect(tasks[0]!.messages.length).toBeGreaterThan(ROUNDS * 2);
    expect(missingInStore(program, run)).toEqual([]);
  });
});

function report({ name }: ClientProgram, run: LongRun): void {
  const count = (action: string) => run.sent.filter((one) => one.action === action).length;
  const work = run.seen.filter(isWork);
  const last = run.sent.findLast(({ body }) => body !== undefined);
  console.log(
    `${name}: ${run.rounds} rounds in ${run.ended.seconds.toFixed(1)} s; window ${run.window} (first request ${run.fixed}), ` +
      `largest request ${Math.max(...work.map(({ tokens }) => tokens.input))}, last transcript ${JSON.stringify(last?.body ?? "").length} characters; ` +
      `${count("compacted")} compactions, ${count("view")} views, ${count("pass")} passed; ` +
      `${run.seen.length - work.length} other calls; ${run.conversations.length} conversations; ` +
      `asked in vain for ${run.hosts.join(", ") || "nothing"}`,
  );
}
