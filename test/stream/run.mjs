// @ts-check
/**
 * `npm run test:stream`, and a step of `npm test`: the stream tests on a real llama.cpp. It is installed here (85 MB)
 * when it isn't there yet or its lock file changed, so that `npm ci` of the project stays small. Arguments go to vitest.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const root = join(here, "..", "..");
/** Says which lock file the packages beside it were installed from. */
const mark = join(here, "node_modules", ".precis-lock");
/** Longest time for the install (milliseconds); without a network it should fail long before. */
const INSTALL_MS = 240_000;

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, timeout?: number }} options
 * @returns {number}
 */
function run(command, args, options) {
  const env = {
    ...process.env,
    NODE_LLAMA_CPP_SKIP_DOWNLOAD: "true",
    npm_config_fetch_retries: "1",
    npm_config_prefer_offline: "true",
  };
  const { status } = spawnSync(command, args, { ...options, env, stdio: "inherit" });
  return status ?? 1;
}

const wanted = createHash("sha256")
  .update(readFileSync(join(here, "package-lock.json")))
  .digest("hex");
if (!existsSync(mark) || readFileSync(mark, "utf8") !== wanted) {
  console.log("test/stream: installing llama.cpp (85 MB, once)");
  if (run("npm", ["ci", "--no-audit", "--no-fund", "--silent"], { cwd: here, timeout: INSTALL_MS }) !== 0) {
    console.error(
      "test/stream: the real llama.cpp could not be installed, so the stream tests can't run.\n" +
        "Is there a connection to the npm registry? Once there is: npm ci --prefix test/stream",
    );
    process.exit(1);
  }
  writeFileSync(mark, wanted);
}
process.exitCode = run(
  "vitest",
  ["run", "--config", "test/stream/vitest.config.ts", ...process.argv.slice(2)],
  { cwd: root },
);
