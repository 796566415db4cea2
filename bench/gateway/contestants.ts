import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";

/** A file beside this one, or wherever a whole path says. */
const here = (path: string) => (isAbsolute(path) ? path : fileURLToPath(new URL(path, import.meta.url)));

/** A gateway in a process of its own. */
export interface Contestant {
  readonly name: string;
  readonly url: string;
  /** What its clients have to send beside the usual. */
  readonly headers: Readonly<Record<string, string>>;
  readonly child: ChildProcess;
}

export async function startContestant(
  name: string,
  file: string,
  args: readonly string[] = [],
  more: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly env?: NodeJS.ProcessEnv;
  } = {},
): Promise<Contestant> {
  const child = fork(here(file), args, {
    // The others as `npm start` and `precis serve` have them, for all contestants.
    execArgv: ["--expose-gc", "--max-semi-space-size=16", "--no-allocation-site-pretenuring"],
    env: { ...process.env, ...more.env },
    // Results go to the standard output, and nothing else.
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once("message", (word: { url: string }) => resolve(word.url));
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code}`)));
  });
  return { name, url, headers: more.headers ?? {}, child };
}

/** Another gateway for comparison, installed when it is first needed; none if that can't be done here. */
export async function startPortkey(upstream: string): Promise<readonly Contestant[]> {
  const folder = here("portkey");
  if (!existsSync(here("portkey/node_modules"))) {
    const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder, stdio: "ignore" });
    if (status !== 0) return [];
  }
  return [
    await startContestant("portkey", "portkey/start.mjs", [], {
      headers: {
        authorization: "Bearer none",
        "x-portkey-provider": "openai",
        "x-portkey-custom-host": `${upstream}/v1`,
      },
      env: { TRUSTED_CUSTOM_HOSTS: "127.0.0.1,localhost" },
    }),
  ];
}
