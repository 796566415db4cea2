/**
 * What a program waits for before its first view: loading `precis`, and the first `fit` of a greeting and of a conversation
 * that has to be counted. Each in a fresh process, with the built package (`npm run build`), in milliseconds of processor time,
 * whatever else the machine does. The last row is a whole `precis --version`, the start of Node included.
 *
 *   node bench/first-fit.ts [--json]
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median, round } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

const RUNS = 9;
const packageFile = (path: string) => new URL(`../packages/${path}`, import.meta.url);
const LIBRARY = packageFile("precis/dist/").href;
const COMMAND = fileURLToPath(packageFile("gateway/bin/precis.js"));

const CPU_MS = "(({ user, system }) => (user + system) / 1_000)(process.cpuUsage())";

/** Prints what loading and the first `fit` took. */
const program = (content: string) => `
const cpu = () => ${CPU_MS};
const started = cpu();
const { createCompactor } = await import("${LIBRARY}index.js");
const { openaiChat } = await import("${LIBRARY}apis/index.js");
const loaded = cpu();
const compactor = createCompactor({ dialect: openaiChat, window: 128_000 });
await compactor.fit([{ role: "user", content: ${content} }]);
console.log(JSON.stringify({ load: loaded - started, fit: cpu() - loaded }));`;

interface Times {
  readonly load: number;
  readonly fit: number;
}

function timesOf(content: string): Times {
  const runs = repeated(() => JSON.parse(outputOf(["--input-type=module", "-e", program(content)])) as Times);
  return { load: middle(runs.map(({ load }) => load)), fit: middle(runs.map(({ fit }) => fit)) };
}

function versionTime(): number {
  const atEnd = `data:text/javascript,process.on("exit", () => console.log("\\n" + ${CPU_MS}))`;
  return middle(
    repeated(() => Number(outputOf(["--import", atEnd, COMMAND, "--version"]).trim().split("\n").at(-1))),
  );
}

function outputOf(args: readonly string[]): string {
  return spawnSync(process.execPath, args, { encoding: "utf8" }).stdout;
}

function repeated<T>(run: () => T): T[] {
  return Array.from({ length: RUNS }, run);
}

function middle(values: readonly number[]): number {
  return round(median(values), 1);
}

const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });
const result = {
  runs: RUNS,
  greeting: timesOf(`"hi"`),
  counted: timesOf(`"All of this has to be counted. ".repeat(4_000)`),
  version: versionTime(),
};
if (values.json) writeResult(result);
else console.table(result);
