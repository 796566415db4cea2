// @ts-check
/** Runs the steps of `scripts/test.mjs` and says what came of each. */
import { run } from "./child.mjs";
import { root } from "./project.mjs";

const MS_PER_SECOND = 1_000;
/** Steps that run at the same time on a machine of two cores, which is what the tests are meant for. */
const SIDE_BY_SIDE = 2;

/**
 * @typedef {"not run" | "stopped"} Unfinished
 * @typedef {{ passed: number, failed: number, skipped: number, note: string }} Counts
 * @typedef {Counts & { name: string, seconds: number, unfinished?: Unfinished }} StepResult
 * @typedef {{ name: string, command: string, args: readonly string[], env: Record<string, string>, counts?: (code: number) => Counts }} Step
 */

/**
 * Stages run one after the other, the steps of a stage two at a time. A step that has company is shown as a whole at its
 * end. What the deadline or a signal left out is unfinished: nobody knows whether it would have passed, so it counts
 * neither way.
 * @param {readonly (readonly Step[])[]} stages
 * @param {{ deadline: number, overLimit: string }} limit when everything ends, and how that is told
 * @returns {Promise<{ results: StepResult[], endedFromOutside: boolean }>}
 */
export async function runStages(stages, { deadline, overLimit }) {
  const total = stages.flat().length;
  let endedFromOutside = false;
  /** @type {StepResult[]} */
  const results = [];
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

  /**
   * @param {Step} step
   * @param {boolean} hasCompany
   * @returns {Promise<{ counts: Counts, unfinished?: Unfinished, shown: readonly string[] }>}
   */
  async function runStep(step, hasCompany) {
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

/**
 * @param {boolean} ok
 * @param {string} [note]
 * @returns {Counts}
 */
export function single(ok, note = "") {
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, note };
}

/**
 * @param {Unfinished} unfinished
 * @param {string} note
 * @returns {{ counts: Counts, unfinished: Unfinished }}
 */
function uncounted(unfinished, note) {
  return { counts: { passed: 0, failed: 0, skipped: 0, note }, unfinished };
}
