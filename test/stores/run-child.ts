import { type ChildProcess, spawn } from "node:child_process";
import { compileCache } from "../support/compile-cache.ts";
import { programFile } from "../support/programs.ts";

export interface RunningChild {
  readonly process: ChildProcess;
  /** Whole lines that it has printed so far. */
  lines(): string[];
  /** Resolves when it has ended, with what it printed. */
  readonly ended: Promise<{
    readonly code: number | null;
    readonly lines: string[];
    readonly stderr: string;
  }>;
}

/** Starts `store-in-child.ts` with the Node that runs this. */
export function startChild(...args: readonly string[]): RunningChild {
  const child = spawn(process.execPath, [programFile("store-in-child"), ...args], {
    env: { ...process.env, ...compileCache },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  // A line that the kill cut in half was not acknowledged.
  const lines = () => stdout.split("\n").slice(0, -1);
  const ended = new Promise<{ code: number | null; lines: string[]; stderr: string }>((resolve) =>
    child.on("close", (code) => resolve({ code, lines: lines(), stderr })),
  );
  return { process: child, lines, ended };
}
