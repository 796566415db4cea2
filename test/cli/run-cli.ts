import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { Output } from "../../src/cli/io.ts";
import { runCommandLine } from "../../src/cli/run-command-line.ts";
import { compileCache } from "../support/compile-cache.ts";
import { programFile } from "../support/programs.ts";

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the real command line as a process of its own. */
export function startCli(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, [programFile("precis"), ...args], {
    env: {
      PATH: process.env["PATH"] ?? "",
      NODE_NO_WARNINGS: "1",
      ...compileCache,
      ...env,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Waits for the end of a process; reads all that it writes. */
export async function finished(child: ChildProcess): Promise<CliResult> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

interface RunOptions {
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the command line to its end, in this process: starting another one takes longer than most commands. */
export async function runCli(
  args: readonly string[],
  { stdin = "", env = {} }: RunOptions = {},
): Promise<CliResult> {
  const stdout = collector();
  const stderr = collector();
  const never = new AbortController().signal;
  const code = await runCommandLine(args, {
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout,
    stderr,
    env,
    signal: never,
    interrupted: never,
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** The same in a process of its own, as people run it. */
export async function runCliProcess(
  args: readonly string[],
  { stdin = "", env = {} }: RunOptions = {},
): Promise<CliResult> {
  const child = startCli(args, env);
  child.stdin?.on("error", () => {});
  child.stdin?.end(stdin);
  return finished(child);
}

function collector(): Output & { text(): string } {
  const pieces: string[] = [];
  return { write: (text) => pieces.push(text), text: () => pieces.join("") };
}

/** A folder for one test file; call `remove` at its end. */
export function scratchFolder(): { readonly path: (name: string) => string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "precis-cli-"));
  return {
    path: (name) => join(folder, name),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A chat about a garden, in plain messages: about 60 tokens a turn. */
export function gardenChat(turns: number): { role: string; content: string }[] {
  return [
    { role: "system", content: "You help with a garden." },
    ...Array.from({ length: turns }, (_, turn) => [
      {
        role: "user",
        content: `Bed ${turn}: what shall I plant after the ${turn % 2 ? "beans" : "leeks"}, and when?`,
      },
      {
        role: "assistant",
        content: `For bed ${turn} take rye in week ${30 + (turn % 15)}. It keeps the soil, and the frost ends it before the potatoes come.`,
      },
    ]).flat(),
    { role: "user", content: "And what about bed 3?" },
  ];
}
