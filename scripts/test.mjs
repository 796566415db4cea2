// @ts-check
/**
 * `npm test`: every check, one after the other. The last line is `N passed, M failed`.
 *
 *   --samples sample|more|all   how much of the sampled suites runs (default sample)
 *   --minutes N                 time limit of the whole run (default none: a slow machine is no failure)
 *   --clients                   real client programs too (`npm run test:clients`; installs 1.1 GB)
 *   --json FILE                 writes steps and counts there too
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hasBrowser, NO_BROWSER } from "./lib/browser.mjs";
import { run } from "./lib/child.mjs";
import { root } from "./lib/project.mjs";

const MS_PER_MINUTE = 60_000;

/** @typedef {{ passed: number, failed: number, skipped: number, note: string, overLimit?: "not run" | "stopped" }} Counts */
/** @typedef {Counts & { name: string, seconds: number }} StepResult */

const { values } = parseArgs({
  options: {
    samples: { type: "string", default: "sample" },
    minutes: { type: "string" },
    clients: { type: "boolean", default: false },
    json: { type: "string" },
  },
});
if (!["sample", "more", "all"].includes(values.samples)) {
  console.error(`test: --samples is sample, more or all, not "${values.samples}".`);
  process.exit(2);
}
const minutes = Number(values.minutes ?? Number.POSITIVE_INFINITY);
if (!(minutes > 0)) {
  console.error(`test: --minutes is a number above 0, not "${values.minutes}".`);
  process.exit(2);
}

const deadline = Date.now() + minutes * MS_PER_MINUTE;
const scratch = mkdtempSync(join(tmpdir(), "precis-test-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

/** @typedef {{ name: string, command: string, args: readonly string[], samples?: string, counts?: (code: number) => Counts }} Step */

/** In full these take minutes for each client and for each strategy: only where everything runs. */
const slowSamples = values.samples === "all" ? "all" : "sample";

/** test/stream installs the two binaries without graphics cards: all of them would be 700 MB. */
const hasLlamaCpp = process.platform === "linux" && ["x64", "arm64"].includes(process.arch);

/** What this machine can't run, and why. */
const leftOut = [
  ...(hasBrowser ? [] : [`page, ${NO_BROWSER}`]),
  ...(hasLlamaCpp ? [] : ["stream, its llama.cpp is there for Linux on x64 and arm64 only"]),
];
for (const one of leftOut) console.log(`skipped: ${one}`);

/** @type {readonly Step[]} */
const steps = [
  { name: "lint", command: "biome", args: ["check", "."] },
  { name: "imports", command: "node", args: ["scripts/check-imports.mjs"] },
  { name: "types", command: "tsc", args: ["-p", "tsconfig.json", "--noEmit"] },
  { name: "build", command: "npm", args: ["run", "--silent", "build"] },
  {
    name: "tests",
    command: "vitest",
    args: ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${scratch}/vitest.json`],
    counts: (code) => vitestCounts(code, "vitest.json"),
  },
  ...(hasBrowser ? [pageStep()] : []),
  ...(hasLlamaCpp ? [llamaCppStep()] : []),
  ...(values.clients
    ? [
        {
          name: "clients",
          samples: slowSamples,
          command: "npm",
          args: [
            ...["run", "--silent", "test:clients", "--"],
            ...["--reporter=default", "--reporter=json", `--outputFile.json=${scratch}/clients.json`],
          ],
          /** @param {number} code */
          counts: (code) => vitestCounts(code, "clients.json"),
        },
      ]
    : []),
  { name: "package", command: "node", args: ["scripts/check-pack.mjs"] },
  { name: "bundle", command: "node", args: ["scripts/check-bundle.mjs"] },
  { name: "doc examples", command: "node", args: ["scripts/check-examples.mjs"] },
];

/** @type {StepResult[]} */
const results = [];
for (const [index, step] of steps.entries()) {
  console.log(`\n[${index + 1}/${steps.length}] ${step.name}`);
  const started = Date.now();
  const counts = await runStep(step);
  const seconds = Math.round((Date.now() - started) / 100) / 10;
  results.push({ name: step.name, seconds, ...counts });
  console.log(`${step.name}: ${outcome(counts)}, ${seconds} s${counts.note}`);
}

const overLimit = results.filter((result) => result.overLimit !== undefined);
// Nobody knows whether these would have passed, so none of them counts, but the run isn't one that passed.
if (overLimit.length > 0) {
  const which = overLimit.map((result) => `${result.name} ${result.overLimit}`).join(", ");
  results.push({ name: "time limit", seconds: 0, ...single(false, `, ${minutes} minutes: ${which}`) });
}

const passed = total("passed");
const failed = total("failed");
const skipped = total("skipped");
console.log("");
for (const step of results.filter((result) => result.failed > 0)) {
  console.log(`failed: ${step.name} (${step.failed})${step.note}`);
}
for (const one of leftOut) console.log(`skipped: ${one}`);
if (skipped > 0) console.log(`skipped: ${skipped}`);
if (values.json !== undefined) {
  writeFileSync(
    values.json,
    `${JSON.stringify({ samples: values.samples, passed, failed, skipped, steps: results }, null, 2)}\n`,
  );
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** @returns {Step} */
function pageStep() {
  const report = `--outputFile.json=${scratch}/page.json`;
  return {
    name: "page",
    command: "vitest",
    args: ["run", "--config", "test/page/vitest.config.ts", "--reporter=default", "--reporter=json", report],
    counts: (code) => vitestCounts(code, "page.json"),
  };
}

/** @returns {Step} */
function llamaCppStep() {
  const report = `--outputFile.json=${scratch}/stream.json`;
  return {
    name: "stream",
    samples: slowSamples,
    command: "node",
    args: ["test/stream/run.mjs", "--reporter=default", "--reporter=json", report],
    counts: (code) => vitestCounts(code, "stream.json"),
  };
}

/**
 * @param {Step} step
 * @returns {Promise<Counts>}
 */
async function runStep(step) {
  const timeoutMs = deadline - Date.now();
  if (timeoutMs <= 0) return uncounted("not run");
  const { code, timedOut } = await run(step.command, step.args, {
    cwd: root,
    env: { PRECIS_PROOF: step.samples ?? values.samples },
    ...(Number.isFinite(timeoutMs) && { timeoutMs }),
  });
  if (timedOut) return uncounted("stopped");
  return step.counts?.(code) ?? single(code === 0);
}

/**
 * @param {boolean} ok
 * @param {string} [note]
 * @returns {Counts}
 */
function single(ok, note = "") {
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, note };
}

/**
 * A step that the time limit kept from its end.
 * @param {"not run" | "stopped"} overLimit
 * @returns {Counts}
 */
function uncounted(overLimit) {
  return { passed: 0, failed: 0, skipped: 0, note: `, over the limit of ${minutes} minutes`, overLimit };
}

/**
 * @param {Counts} counts
 * @returns {string}
 */
function outcome({ failed, overLimit }) {
  if (overLimit !== undefined) return overLimit;
  return failed === 0 ? "ok" : "FAILED";
}

/**
 * The tests one by one, and the run itself as one more: a file that doesn't load and an error outside of any test
 * fail the run without failing a test.
 * @param {number} code
 * @param {string} file what the run wrote
 * @returns {Counts}
 */
function vitestCounts(code, file) {
  /** @type {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, numTodoTests: number }} */
  let report;
  try {
    report = JSON.parse(readFileSync(join(scratch, file), "utf8"));
  } catch {
    return single(false, ", no result was written");
  }
  const failedTests = report.numFailedTests;
  const runFailed = code !== 0 && failedTests === 0;
  return {
    passed: report.numPassedTests + (code === 0 ? 1 : 0),
    failed: failedTests + (runFailed ? 1 : 0),
    skipped: report.numPendingTests + report.numTodoTests,
    note: runFailed ? ", a file didn't load or an error came outside of a test" : "",
  };
}

/**
 * @param {"passed" | "failed" | "skipped"} key
 * @returns {number}
 */
function total(key) {
  return results.reduce((sum, result) => sum + result[key], 0);
}
