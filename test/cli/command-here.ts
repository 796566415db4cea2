import { Readable } from "node:stream";
import { runCommandLine } from "../../src/cli/run-command-line.ts";

/** A command that serves, inside of the test's own process. */
export interface CommandHere {
  /** Where it listens. */
  readonly address: string;
  /** What it wrote to stderr. */
  log(): string;
  /** As Ctrl-C does; resolves to the exit code. */
  stop(): Promise<number>;
}

/** Runs a command that tells its address as `--json`, and doesn't end by itself. */
export async function commandHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandHere> {
  const told = new AbortController();
  let log = "";
  const { promise: address, resolve, reject } = Promise.withResolvers<string>();
  const ended = runCommandLine([...args, "--json"], {
    stdin: Readable.from([]),
    stdout: { write: (text) => resolve((JSON.parse(text) as { address: string }).address) },
    stderr: { write: (text) => (log += text) },
    env: { PRECIS_LOG: "silent", ...env },
    signal: told.signal,
    interrupted: told.signal,
  });
  ended.then((code) => reject(new Error(`precis ${args[0]} ended with ${code}: ${log}`)), reject);
  return {
    address: await address,
    log: () => log,
    stop() {
      told.abort();
      return ended;
    },
  };
}
