/** Runs every benchmark and writes `bench/results/*.json`: `npm run bench`, or `node bench/run.mjs fit memory`. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Side-by-side needs other people's libraries: `npm ci` in its folder first. */
const BENCHES = {
  fit: { file: "fit.ts" },
  memory: { file: "memory.ts" },
  tokens: { file: "tokens.ts" },
  "side-by-side": { file: "side-by-side/run.mjs", needs: "side-by-side/node_modules" },
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`No benchmark ${unknown.join(", ")}. Choose from ${Object.keys(BENCHES).join(", ")}.`);
  process.exit(2);
}

let failed = false;
for (const [name, { file, needs }] of Object.entries(BENCHES)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  if (!existsSync(here(file))) continue;
  if (needs !== undefined && !existsSync(here(needs))) {
    console.error(`skipped: ${name} (run \`npm ci\` in bench/side-by-side first)`);
    continue;
  }
  const { status } = spawnSync(process.execPath, [here(file)], { stdio: "inherit" });
  if (status !== 0) failed = true;
}
process.exitCode = failed ? 1 : 0;
