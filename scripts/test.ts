/**
 * `npm test`: every check. The last line is `N passed, M failed`.
 *
 *   --samples sample|more|all   how much of the sampled suites runs (default sample)
 *   --minutes N                 time limit of the whole run (default none: a slow machine is no failure)
 *   --clients                   real client programs too (`npm run test:clients`; installs 1.9 GB)
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hasBrowser, NO_BROWSER } from "./lib/browser.ts";
import { type Counts, runStages, type Step, single } from "./lib/steps.ts";
import "./make-vocabularies.ts";

const MS_PER_MINUTE = 60_000;

const { values } = parseArgs({
  options: {
    samples: { type: "string", default: "sample" },
    minutes: { type: "string" },
    clients: { type: "boolean", default: false },
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

const isSample = values.samples === "sample";

/** In full these take minutes for each client and for each strategy: only where everything runs. */
const slowSamples = values.samples === "all" ? "all" : "sample";

/** test/stream installs the two binaries without graphics cards: all of them would be 700 MB. */
const hasLlamaCpp = process.platform === "linux" && ["x64", "arm64"].includes(process.arch);

/** What this machine can't run, and why. */
const leftOut = [
  ...(hasBrowser ? [] : [`page, ${NO_BROWSER}`]),
  ...(isSample || hasLlamaCpp ? [] : ["stream, its llama.cpp is there for Linux on x64 and arm64 only"]),
];
for (const one of leftOut) console.log(`skipped: ${one}`);

const { results, endedFromOutside } = await runStages(
  [
    [
      step("lint", "biome", ["check", "--error-on-warnings", "."]),
      step("types", "tsc", ["-p", "tsconfig.json", "--noEmit"]),
      step("imports", "node", ["scripts/check-imports.mjs"]),
      step("build", "npm", ["run", "--silent", "build"]),
      step("dead code", "knip", ["--no-progress"]),
    ],
    // The tests often wait for what they started: the other steps use what they leave of the two cores.
    [
      vitestStep("tests", "vitest", ["run"]),
      ...(hasBrowser
        ? [vitestStep("page", "vitest", ["run", "--config", "test/page/vitest.config.ts"])]
        : []),
      // Their packages take hundreds of megabytes; what they test has tests of its own without them.
      ...(isSample || !hasLlamaCpp
        ? []
        : [vitestStep("stream", "node", ["test/stream/run.mjs"], slowSamples)]),
      ...(isSample ? [] : [vitestStep("sdk", "node", ["examples/sdk/run.mjs"])]),
      ...(values.samples === "all" ? [vitestStep("mastra", "node", ["examples/mastra/run.mjs"])] : []),
      // It packs and installs both packages; what they hold is sorted and checked by the build.
      ...(isSample ? [] : [step("package", "node", ["scripts/check-pack.ts"])]),
      step("doc examples", "node", ["scripts/check-examples.ts"]),
      // It fails on a link that leads nowhere on the site, and on a page that can't be rendered.
      ...(isSample ? [] : [step("docs site", "npm", ["run", "--silent", "docs"])]),
      step("bundle", "node", ["scripts/check-bundle.ts"]),
    ],
    values.clients
      ? [vitestStep("clients", "npm", ["run", "--silent", "test:clients", "--"], slowSamples)]
      : [],
  ],
  { deadline, overLimit: `, over the limit of ${minutes} minutes` },
);

const unfinished = results.filter((result) => result.unfinished !== undefined);
// None of them counts, but the run isn't one that passed.
if (unfinished.length > 0) {
  const which = unfinished.map((result) => `${result.name} ${result.unfinished}`).join(", ");
  const [name, note] = endedFromOutside ? ["ended from outside", ""] : ["time limit", `, ${minutes} minutes`];
  results.push({ name, seconds: 0, ...single(false, `${note}: ${which}`) });
}

const passed = total("passed");
const failed = total("failed");
const skipped = total("skipped");
console.log("");
for (const result of results.filter((one) => one.failed > 0)) {
  console.log(`failed: ${result.name} (${result.failed})${result.note}`);
}
for (const one of leftOut) console.log(`skipped: ${one}`);
if (skipped > 0) console.log(`skipped: ${skipped}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

function step(
  name: string,
  command: string,
  args: readonly string[],
  samples: string = values.samples,
): Step {
  return { name, command, args, env: { PRECIS_PROOF: samples } };
}

/** A step whose tests count one by one. */
function vitestStep(name: string, command: string, args: readonly string[], samples?: string): Step {
  const report = join(scratch, `${name}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  return {
    ...step(name, command, [...args, ...reporters], samples),
    counts: (code) => vitestCounts(code, report),
  };
}

/**
 * The tests one by one, and the run itself as one more: a file that doesn't load and an error outside of any test
 * fail the run without failing a test.
 * `file`: what the run wrote.
 */
function vitestCounts(code: number, file: string): Counts {
  let report: {
    numPassedTests: number;
    numFailedTests: number;
    numPendingTests: number;
    numTodoTests: number;
  };
  try {
    report = JSON.parse(readFileSync(file, "utf8"));
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

function total(key: "passed" | "failed" | "skipped"): number {
  return results.reduce((sum, result) => sum + result[key], 0);
}
