import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ClientProgram, ClientSetup } from "./client-program.ts";

/** What a program left behind. */
export interface Ended {
  /** Its exit code; null when it was ended from outside. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly seconds: number;
}

/** Runs a program to its end, in an empty home and with a proxy between it and the world that leads nowhere. */
export async function runProgram(
  program: ClientProgram,
  setup: ClientSetup & { readonly proxy: string; readonly timeoutMs: number },
): Promise<Ended> {
  const { command, args, env, files = {} } = program.start(setup);
  for (const [path, content] of Object.entries(files)) {
    const file = join(setup.home, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(content));
  }
  const temporary = join(setup.home, "tmp");
  await mkdir(temporary, { recursive: true });
  const started = performance.now();
  // A process group of its own, so that its children end with it.
  const child = spawn(command, args, {
    cwd: setup.work,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: setup.home,
      XDG_CONFIG_HOME: join(setup.home, ".config"),
      XDG_CACHE_HOME: join(setup.home, ".cache"),
      XDG_DATA_HOME: join(setup.home, ".local/share"),
      XDG_STATE_HOME: join(setup.home, ".local/state"),
      TMPDIR: temporary,
      SHELL: "/bin/sh",
      TERM: "dumb",
      LANG: "C.UTF-8",
      HTTP_PROXY: setup.proxy,
      HTTPS_PROXY: setup.proxy,
      http_proxy: setup.proxy,
      https_proxy: setup.proxy,
      NO_PROXY: "127.0.0.1,localhost",
      no_proxy: "127.0.0.1,localhost",
      ...env,
    },
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (piece: Buffer) => {
    out += piece.toString();
  });
  child.stderr.on("data", (piece: Buffer) => {
    err += piece.toString();
  });
  const endGroup = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // Nothing of it is left.
    }
  };
  const timer = setTimeout(endGroup, setup.timeoutMs);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (exit) => resolve(exit));
  });
  clearTimeout(timer);
  endGroup();
  return { code, out, err, seconds: (performance.now() - started) / 1_000 };
}
