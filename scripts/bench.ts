/**
 * `npm run bench`: runs every `bench/*.ts` with `--json` and keeps what it prints in `bench/results/`. Arguments name
 * the ones to run: `npm run bench fit`. The last line is `N passed, M failed`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { run } from "./lib/child.ts";
import { filesBelow, root } from "./lib/project.ts";
import "./make-vocabularies.ts";

const results = join(root, "bench/results");
const wanted = process.argv.slice(2);
const files = filesBelow(root, "bench", /^bench\/[^/]+\.ts$/).filter(
  (file) => !file.endsWith(".test.ts") && (wanted.length === 0 || wanted.includes(basename(file, ".ts"))),
);
mkdirSync(results, { recursive: true });
const commit = execFileSync("git", ["describe", "--always", "--dirty"], {
  cwd: root,
  encoding: "utf8",
}).trim();

let failed = 0;
for (const [index, file] of files.entries()) {
  console.log(`[${index + 1}/${files.length}] ${file}`);
  const { code, stdout, stderr } = await run("node", [file, "--json"], { cwd: root, output: "capture" });
  const fault = code === 0 ? keep(basename(file, ".ts"), stdout) : stderr;
  if (fault !== undefined) {
    failed += 1;
    console.error(`${file} failed: ${fault}`);
  }
}
console.log(`${files.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** With the day and the commit that it was measured at. Returns what is wrong with it. */
function keep(name: string, output: string): string | undefined {
  try {
    const result = { date: new Date().toISOString().slice(0, 10), commit, ...JSON.parse(output) };
    writeFileSync(join(results, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
    return undefined;
  } catch (error) {
    return `what it printed isn't JSON: ${(error as Error).message}`;
  }
}
