/** Runs the steps of `scripts/test.ts` and says what came of each. */
import { run } from "./child.ts";
import { root } from "./project.ts";

const MS_PER_SECOND = 1_000;
/** Steps that run at the same time on a machine of two cores, which is what the tests are meant for. */
const SIDE_BY_SIDE = 2;

type Unfinished = "not run" | "stopped";
export type Counts = { passed: number; failed: number; skipped: number; note: string };
export type StepResult = Counts & { name: string; seconds: number; unfinished?: Unfinished };
export type Step = {
  name: string;
  command: string;
  args: readonly string[];
  env: Record<string, string>;
  counts?: (code: number) => Counts;
};

/**
 * Stages run one after the other, the steps of a stage two at a time. A step that has company is shown as a whole at its
 * end. What the deadline or a signal left out is unfinished: nobody knows whether it would have passed, so it counts
 * neither way.
 * `limit`: when everything ends, and how that is told.
 */
export async function runStages(
  stages: readonly (readonly Step[])[],
  { deadline, overLimit }: { deadline: number; overLimit: string },
): Promise<{ results: StepResult[]; endedFromOutside: boolean }> {
  const total = stages.flat().length;
  let endedFromOutside = false;
  const results: StepResult[] = [];
  for (const stage of stages) {
    const hasCompany = stage.length > 1;
    if (hasCompany) console.log(`\n${stage.map(({ name }) => name).join(", ")}: two at a time`);
    const first = results.length;
    const waiting = [...stage.entries()];
    const runNext = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [index, step] = next;
        const heading = `\n[${first + index + 1}/${total}] ${step.name}`;
        if (!hasCompany) console.log(heading);
        const started = Date.now();
        const { counts, unfinished, shown } = await runStep(step, hasCompany);
        const seconds = Math.round((Date.now() - started) / (MS_PER_SECOND / 10)) / 10;
        if (hasCompany) console.log([heading, ...shown].join("\n"));
        results[first + index] = { name: step.name, seconds, ...counts, ...(unfinished && { unfinished }) };
        const outcome = unfinished ?? (counts.failed === 0 ? "ok" : "FAILED");
        console.log(`${step.name}: ${outcome}, ${seconds} s${counts.note}`);
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, runNext));
  }
  return { results, endedFromOutside };

  async function runStep(
    step: Step,
    hasCompany: boolean,
  ): Promise<{ counts: Counts; unfinished?: Unfinished; shown: readonly string[] }> {
    const timeoutMs = deadline - Date.now();
    if (endedFromOutside) return { ...uncounted("not run", ", the run was ended from outside"), shown: [] };
    if (timeoutMs <= 0) return { ...uncounted("not run", overLimit), shown: [] };
    const { code, timedOut, stopped, stdout, stderr } = await run(step.command, step.args, {
      cwd: root,
      env: step.env,
      output: hasCompany ? "capture" : "show",
      ...(Number.isFinite(timeoutMs) && { timeoutMs }),
    });
    endedFromOutside ||= stopped;
    const shown = [stdout, stderr].map((text) => text.trimEnd()).filter((text) => text !== "");
    if (stopped) return { ...uncounted("stopped", ", the run was ended from outside"), shown };
    if (timedOut) return { ...uncounted("stopped", overLimit), shown };
    return { counts: step.counts?.(code) ?? single(code === 0), shown };
  }
}

export function single(ok: boolean, note: string = ""): Counts {
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, note };
}

function uncounted(unfinished: Unfinished, note: string): { counts: Counts; unfinished: Unfinished } {
  return { counts: { passed: 0, failed: 0, skipped: 0, note }, unfinished };
}
