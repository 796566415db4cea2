/**
 * Clients that compact by themselves: by which number do they decide? One that goes by usage must leave it to the gateway, however
 * long its transcript is: the view is what usage tells of. One that goes by its own count needs the setting that the guide names.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type ClientProgram, MACHINE } from "./client-program.ts";
import { type LongRun, longRun } from "./long-run.ts";
import { DONE, isWork } from "./long-task.ts";
import { claudeCode } from "./programs/claude-code.ts";
import { cline } from "./programs/cline.ts";
import { codex } from "./programs/codex.ts";
import { continueCli } from "./programs/continue.ts";
import { copilot } from "./programs/copilot.ts";
import { geminiCli } from "./programs/gemini-cli.ts";
import { opencode } from "./programs/opencode.ts";
import { pi } from "./programs/pi.ts";

const ROUNDS = 40;
/** What the transcript has in the end, in multiples of the window that the client may believe in. */
const OUTGROWN = 2;
const CHARS_PER_TOKEN = 4;

const programs: readonly ClientProgram[] = [
  ...[claudeCode, codex, opencode, pi],
  ...[geminiCli, copilot, continueCli, cline],
].filter(({ machines }) => machines?.includes(MACHINE) ?? true);

describe.each(programs.filter(({ compaction }) => compaction.by === "usage"))("$name", (program) => {
  it("leaves it to the gateway while the views are below its own limit, however long its transcript is", async () => {
    const run = await longRun(program, { rounds: ROUNDS, outgrows: { believes: true } });
    report(program, run);
    expect(compactionsIn(program, run)).toEqual([]);
    expectOutgrown(run);
  });
});

describe.each(programs.filter(({ compaction }) => compaction.by === "own count"))("$name", (program) => {
  it("compacts by its own count, whatever usage says", async () => {
    const run = await longRun(program, { rounds: ROUNDS, outgrows: { believes: true } });
    report(program, run);
    expect(compactionsIn(program, run)).not.toEqual([]);
    expect(run.seen.filter(({ status }) => status !== 200)).toEqual([]);
  });

  const { cannotBeSet } = program.compaction;
  const why = cannotBeSet === undefined ? "" : ` (skipped: ${cannotBeSet})`;
  it.skipIf(cannotBeSet !== undefined)(
    `leaves it to the gateway with the setting that the guide names${why}`,
    async () => {
      const run = await longRun(program, {
        rounds: ROUNDS,
        outgrows: { believes: false },
      });
      report(program, run);
      expect(compactionsIn(program, run)).toEqual([]);
      expectOutgrown(run);
    },
  );
});

it.each(programs)("the guide says what $name goes by", ({ name, compaction }) => {
  const guide = readFileSync(new URL("../../docs/guide/clients.md", import.meta.url), "utf8");
  expect(guide).toMatch(new RegExp(`^\\| ${name} \\| ${compaction.by}\\b`, "m"));
});

/** Numbers of the client's requests that show a compaction of its own. */
function compactionsIn({ compaction }: ClientProgram, { sent }: LongRun): number[] {
  const isOne = ({ body }: LongRun["sent"][number]) => JSON.stringify(body ?? "").includes(compaction.words);
  return sent.flatMap((one, number) => (isOne(one) ? [number] : []));
}

/** The task was finished, and every request held more of the transcript than the one before: nothing left it. */
function expectOutgrown(run: LongRun): void {
  expect(run.ended[0]!.out).toContain(DONE);
  expect(run.rounds).toBe(ROUNDS);
  const sizes = transcriptSizes(run);
  expect([...sizes].sort((a, b) => a - b)).toEqual(sizes);
  expect(sizes.at(-1)! / CHARS_PER_TOKEN).toBeGreaterThan(OUTGROWN * run.ownWindow);
  expect(run.seen.filter(({ status }) => status !== 200)).toEqual([]);
  for (const { tokens } of run.seen.filter(isWork)) expect(tokens.input).toBeLessThan(run.ownWindow);
}

/** Characters of the client's main requests, in order: those with the most of them, beside titles and sub-agents. */
function transcriptSizes({ sent }: LongRun): number[] {
  return sent.flatMap(({ body }) =>
    JSON.stringify(body ?? "").includes("PRE-4711") && Array.isArray(body?.["tools"])
      ? [JSON.stringify(body).length]
      : [],
  );
}

function report(program: ClientProgram, run: LongRun): void {
  const counting = run.sent.filter(({ path }) => /count_tokens|input_tokens|countTokens/.test(path));
  console.log(
    `${program.name}: transcript of ${Math.round(transcriptSizes(run).at(-1)! / CHARS_PER_TOKEN)} tokens, ` +
      `own window ${run.ownWindow}, largest view ${Math.max(...run.seen.map(({ tokens }) => tokens.input))}; ` +
      `${compactionsIn(program, run).length} of ${run.sent.length} requests show a compaction of its own; ${counting.length} counts asked for`,
  );
}
