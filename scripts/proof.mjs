// @ts-check
/**
 * `npm run proof`: every check with nothing sampled, then the benchmarks. Results go to `bench/results/`.
 * The last line is `N passed, M failed`.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { run } from "./lib/child.mjs";
import { root } from "./lib/project.mjs";

const MINUTES = 240;

const results = join(root, "bench/results");
const checksFile = join(results, "checks.json");
mkdirSync(results, { recursive: true });
rmSync(checksFile, { force: true });

await run(
  "node",
  ["scripts/test.mjs", "--samples", "all", "--minutes", String(MINUTES), "--clients", "--json", checksFile],
  {
    cwd: root,
  },
);
/** @type {{ passed: number, failed: number }} */
const checks = existsSync(checksFile)
  ? JSON.parse(readFileSync(checksFile, "utf8"))
  : { passed: 0, failed: 1 };

console.log("\nbenchmarks");
const bench = await run("node", ["scripts/bench.mjs"], { cwd: root, env: { PRECIS_PROOF: "all" } });
const passed = checks.passed + (bench.code === 0 ? 1 : 0);
const failed = checks.failed + (bench.code === 0 ? 0 : 1);

const commit = (await run("git", ["rev-parse", "HEAD"], { cwd: root, output: "capture" })).stdout.trim();
const summary = { commit, node: process.version, cores: availableParallelism(), passed, failed };
writeFileSync(join(results, "proof.json"), `${JSON.stringify(summary, null, 2)}\n`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
