import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandHere } from "../cli/command-here.ts";
import type { ServeProcess } from "./serve-process.ts";

/** A `precis serve` inside of the test's own process. Its log of requests is silent; warnings are told. */
export type ServeHere = Pick<ServeProcess, "url" | "log" | "stop">;

/**
 * Runs the same command line as `startServe` without another process, whose start takes longer than most tests. Tests that
 * send signals or kill the server need `startServe`.
 */
export async function serveHere(
  flags: readonly string[],
  { env, db }: { readonly env?: Readonly<Record<string, string>>; readonly db?: string } = {},
): Promise<ServeHere> {
  const folder = await mkdtemp(join(tmpdir(), "precis-serve-"));
  const command = await commandHere(
    ["serve", "--port", "0", "--db", db ?? join(folder, "precis.db"), ...flags],
    env,
  );
  return {
    url: command.address,
    log: command.log,
    async stop() {
      await command.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
