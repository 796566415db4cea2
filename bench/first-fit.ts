/**
 * What a program waits for before its first view: loading `precis`, and the first `fit` of a greeting and of a conversation
 * that has to be counted. Each in a fresh process, with the built package (`npm run build`); the last row is the command line.
 *
 *   node bench/first-fit.ts [--json]
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median } from "./support/statistics.ts";

const RUNS = 9;
const packageFile = (path: string) => new URL(`../packages/${path}`, import.meta.url);
const LIBRARY = packageFile("precis/dist/").href;
const COMMAND = fileURLToPath(packageFile("gateway/bin/precis.js"));

/** Prints how long loading and the first `fit` took (milliseconds). */
const program = (content: string) => `
const started = performance.now();
const { createCompactor } = await import("${LIBRARY}index.js");
const { openaiChat } = await import("${LIBRARY}dialects/index.js");
const loaded = performance.now();
const compactor = createCompactor({ dialect: openaiChat, window: 128_000 });
await compactor.fit([{ role: "user", content: ${content} }]);
console.log(JSON.stringify({ load: loaded - started, fit: performance.now() - loaded }));`;

interface Times {
  readonly load: number;
  readonly fit: number;
}

function timesOf(content: string): Times {
  const runs = Array.from({ length: RUNS }, () => {
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program(content)], {
      encoding: "utf8",
    });
    return JSON.parse(stdout) as Times;
  });
  return { load: medianOf(runs.map(({ load }) => load)), fit: medianOf(runs.map(({ fit }) => fit)) };
}

function versionTime(): number {
  return medianOf(
    Array.from({ length: RUNS }, () => {
      const started = performance.now();
      spawnSync(process.execPath, [COMMAND, "--version"]);
      return performance.now() - started;
    }),
  );
}

function medianOf(values: readonly number[]): number {
  return Math.round(median(values) * 10) / 10;
}

const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });
const report = {
  runs: RUNS,
  greeting: timesOf(`"hi"`),
  counted: timesOf(`"All of this has to be counted. ".repeat(4_000)`),
  "precis --version": versionTime(),
};
if (values.json) console.log(JSON.stringify(report, null, 2));
else console.table(report);
