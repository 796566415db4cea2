// @ts-check
/**
 * `npm run test:stream`: the stream tests on a real llama.cpp, which is installed here once (85 MB). Arguments go to
 * vitest.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const root = join(here, "..", "..");

/** @param {string} command @param {readonly string[]} args @param {string} cwd */
function run(command, args, cwd) {
  const env = { ...process.env, NODE_LLAMA_CPP_SKIP_DOWNLOAD: "true" };
  const { status } = spawnSync(command, args, { cwd, env, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(join(here, "node_modules/@node-llama-cpp/linux-x64")))
  run("npm", ["ci", "--no-audit", "--no-fund"], here);
run("vitest", ["run", "--config", "test/stream/vitest.config.ts", ...process.argv.slice(2)], root);
