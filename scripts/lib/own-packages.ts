import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./project.ts";

/**
 * Runs the tests of a folder that has packages of its own, so that `npm ci` of the project stays small. They are installed
 * when they aren't there yet or their lock file changed. Arguments of the command go to vitest.
 * Returns the exit code.
 */
export function runWithOwnPackages({
  folder,
  what,
  size,
  installMs,
  env,
}: {
  folder: string;
  what: string;
  size: string;
  installMs: number;
  env: Readonly<Record<string, string | undefined>>;
}): number {
  const here = join(root, folder);
  const run = (command: string, args: readonly string[], options: { cwd: string; timeout?: number }) =>
    spawnSync(command, args, {
      ...options,
      env: { ...env, npm_config_prefer_offline: "true" },
      stdio: "inherit",
    }).status ?? 1;

  /** Says which lock file the packages beside it were installed from. */
  const mark = join(here, "node_modules", ".precis-lock");
  const wanted = createHash("sha256")
    .update(readFileSync(join(here, "package-lock.json")))
    .digest("hex");
  if (!existsSync(mark) || readFileSync(mark, "utf8") !== wanted) {
    console.log(`${folder}: installing ${what} (${size}, once)`);
    const args = ["ci", "--no-audit", "--no-fund", "--silent"];
    if (run("npm", args, { cwd: here, timeout: installMs }) !== 0) {
      console.error(
        `${folder}: ${what} could not be installed, so the tests can't run.\n` +
          `Is there a connection to the npm registry? Once there is: npm ci --prefix ${folder}`,
      );
      return 1;
    }
    writeFileSync(mark, wanted);
  }
  const config = `${folder}/vitest.config.ts`;
  return run("vitest", ["run", "--config", config, ...process.argv.slice(2)], { cwd: root });
}
