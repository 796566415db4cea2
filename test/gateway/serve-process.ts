import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { compileCache } from "../support/compile-cache.ts";
import { programFile } from "../support/programs.ts";

/** A `precis serve` that runs as a process of its own, as people start it. */
export interface ServeProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** What it wrote to stderr. */
  log(): string;
  /** From now on it can't write to any file: a disk that is full. */
  fillDisk(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export async function startServe(
  flags: readonly string[],
  {
    env = {},
    db,
    port = "0",
  }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly db?: string;
    readonly port?: string;
  } = {},
): Promise<ServeProcess> {
  const folder = await mkdtemp(join(tmpdir(), "precis-serve-"));
  const command = [process.execPath, programFile("precis"), "serve", "--json", "--port", port];
  const [program, ...given] = [...command, "--db", db ?? join(folder, "precis.db"), ...flags];
  const child = spawn(program!, given, {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", ...compileCache, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  child.stderr.on("data", (piece: Buffer) => {
    log += piece.toString();
  });
  const address = await new Promise<string>((resolve, reject) => {
    let out = "";
    child.stdout.on("data", (piece: Buffer) => {
      out += piece.toString();
      const line = out.split("\n")[0];
      if (out.includes("\n")) resolve((JSON.parse(line!) as { address: string }).address);
    });
    child.on("exit", (code) => reject(new Error(`precis serve ended with ${code}: ${log}`)));
  });
  return {
    url: address,
    child,
    log: () => log,
    async fillDisk() {
      await promisify(execFile)("prlimit", ["--pid", String(child.pid), "--fsize=0"]);
    },
    async stop(signal = "SIGTERM") {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await once(child, "exit");
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}
