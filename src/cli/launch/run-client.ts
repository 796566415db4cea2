import { spawn } from "node:child_process";
import { access, mkdir, mkdtemp, constants as modes, readdir, rm, writeFile } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { UsageError } from "../flags.ts";
import type { Io } from "../io.ts";
import type { ClientSettings, LaunchClient } from "./clients.ts";

/** What a shell adds to the number of a signal that ended a program. */
const SIGNALLED = 128;
const OWNER_ONLY = 0o700;

/** A new folder inside of the person's own: Gemini CLI believes no settings below a folder that others may write to. */
async function privateFolder({ env }: Pick<Io, "env">): Promise<string> {
  const home = env["HOME"];
  const cache = env["XDG_CACHE_HOME"] || (home && join(home, ".cache"));
  const parent = cache ? join(cache, "precis") : tmpdir();
  await mkdir(parent, { recursive: true, mode: OWNER_ONLY });
  await removeLeftovers(parent);
  return mkdtemp(join(parent, `launch-${process.pid}-`));
}

/** Removes what runs left behind that were killed: a key may stand in it. */
async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = /^launch-(\d+)-/.exec(name)?.[1];
    // What another person left in the machine's temporary folder is theirs to remove.
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Refuses a client that isn't installed before anything is started for it. */
export async function checkInstalled(
  { command, install }: Pick<LaunchClient, "command" | "install">,
  { env }: Pick<Io, "env">,
): Promise<void> {
  const endings = process.platform === "win32" ? (env["PATHEXT"] ?? ".EXE").split(";") : [""];
  for (const folder of (env["PATH"] ?? env["Path"] ?? "").split(delimiter))
    for (const ending of endings) {
      const path = join(folder || ".", command + ending);
      if (
        await access(path, modes.X_OK).then(
          () => true,
          () => false,
        )
      )
        return;
    }
  throw new UsageError(`${command} isn't installed, or isn't on the path. Install it: ${install}`);
}

/** Runs a client program to its end with its settings, in this terminal. Returns its exit code. */
export async function runClient(
  client: Pick<LaunchClient, "command">,
  { env, args, file }: ClientSettings,
  more: readonly string[],
  io: Io,
): Promise<number> {
  // Ctrl-C may have come while the gateway was being started.
  io.signal.throwIfAborted();
  const folder = file && (await privateFolder(io));
  try {
    const path = file && folder && join(folder, file.name);
    if (file && path) await writeFile(path, JSON.stringify(file.json), { mode: 0o600 });
    return await new Promise<number>((resolve, reject) => {
      const flag = file && path && "flag" in file ? [file.flag, path] : [];
      const variable = file && path && "variable" in file ? { [file.variable]: path } : {};
      const child = spawn(client.command, [...args, ...flag, ...more], {
        stdio: "inherit",
        env: { ...io.env, ...env, ...variable },
      });
      // Ctrl-C reaches the client by itself, as it has the same terminal: it decides what that means.
      const stop = () => {
        if (io.interrupted?.aborted !== true) child.kill("SIGTERM");
      };
      io.signal.addEventListener("abort", stop, { once: true });
      // A window that is closed ends the client; its settings still have to be removed.
      const ignoreHangUp = io.onHangUp?.(() => child.kill("SIGTERM"));
      const letGo = () => {
        io.signal.removeEventListener("abort", stop);
        ignoreHangUp?.();
      };
      child.once("error", (error) => {
        letGo();
        reject(error);
      });
      child.once("close", (code, signal) => {
        letGo();
        resolve(code ?? SIGNALLED + (signal ? constants.signals[signal] : 0));
      });
    });
  } finally {
    if (folder) await rm(folder, { recursive: true, force: true });
  }
}
