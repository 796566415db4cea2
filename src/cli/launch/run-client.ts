import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import type { Io } from "../io.ts";
import { UsageError } from "../usage-error.ts";
import type { ClientSettings, LaunchClient } from "./clients.ts";

/** What a shell adds to the number of a signal that ended a program. */
const SIGNALLED = 128;

/** Runs a client program to its end with its settings, in this terminal. Returns its exit code. */
export async function runClient(
  client: Pick<LaunchClient, "command" | "install">,
  { env, args, file }: ClientSettings,
  more: readonly string[],
  io: Io,
): Promise<number> {
  const folder = file && (await mkdtemp(join(tmpdir(), "precis-launch-")));
  try {
    const path = file && folder && join(folder, file.name);
    if (file && path) await writeFile(path, JSON.stringify(file.json));
    return await new Promise<number>((resolve, reject) => {
      const child = spawn(client.command, [...args, ...more], {
        stdio: "inherit",
        env: { ...io.env, ...env, ...(file && path && { [file.variable]: path }) },
      });
      // Ctrl-C reaches the client by itself, as it has the same terminal: it decides what that means.
      const stop = () => {
        if (io.interrupted?.aborted !== true) child.kill("SIGTERM");
      };
      io.signal.addEventListener("abort", stop, { once: true });
      child.once("error", (error: NodeJS.ErrnoException) => {
        io.signal.removeEventListener("abort", stop);
        reject(
          error.code === "ENOENT"
            ? new UsageError(
                `${client.command} isn't installed, or isn't on the path. Install it: ${client.install}`,
              )
            : error,
        );
      });
      child.once("close", (code, signal) => {
        io.signal.removeEventListener("abort", stop);
        resolve(code ?? SIGNALLED + (signal ? constants.signals[signal] : 0));
      });
    });
  } finally {
    if (folder) await rm(folder, { recursive: true, force: true });
  }
}
