// @ts-check
/**
 * `npm run test:clients`, and a step of CI: real client programs through the gateway. They are installed here (1.1 GB,
 * without their install scripts) when they aren't there yet or their lock file changed. Arguments go to vitest.
 * PRECIS_PROOF=sample runs fewer rounds.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const root = join(here, "..", "..");
/** Says which lock file the packages beside it were installed from. */
const mark = join(here, "node_modules", ".precis-lock");
/** Longest time for the install (milliseconds). */
const INSTALL_MS = 480_000;

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, timeout?: number }} options
 * @returns {number}
 */
function run(command, args, options) {
  const env = { PRECIS_PROOF: "all", npm_config_prefer_offline: "true", ...process.env };
  const { status } = spawnSync(command, args, { ...options, env, stdio: "inherit" });
  return status ?? 1;
}

const wanted = createHash("sha256")
  .update(readFileSync(join(here, "package-lock.json")))
  .digest("hex");
if (!existsSync(mark) || readFileSync(mark, "utf8") !== wanted) {
  console.log("test/clients: installing the client programs (1.1 GB, once)");
  if (run("npm", ["ci", "--no-audit", "--no-fund", "--silent"], { cwd: here, timeout: INSTALL_MS }) !== 0) {
    console.error(
      "test/clients: the client programs could not be installed, so their tests can't run.\n" +
        "Is there a connection to the npm registry? Once there is: npm ci --prefix test/clients",
    );
    process.exit(1);
  }
  writeFileSync(mark, wanted);
}
process.exitCode = run(
  "vitest",
  ["run", "--config", "test/clients/vitest.config.ts", ...process.argv.slice(2)],
  { cwd: root },
);
