import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { root } from "./project.ts";

/** Time between the polite and the final signal: enough for a browser or a test runner to end its own children. */
const GRACE_MS = 2_000;
/** When this process ends too after a signal: its children are gone by then, and it has told what came of them. */
const LAST_WORDS_MS = 3_000;
const PARENT_CHECK_MS = 1_000;

const running: Set<ChildProcess> = new Set();

/** Signals a child and everything that it started: each child leads a process group of its own. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals) {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has ended already.
  }
}

function stop(child: ChildProcess) {
  signalGroup(child, "SIGTERM");
  setTimeout(() => signalGroup(child, "SIGKILL"), GRACE_MS).unref();
}

let stopping = false;

function stopAll() {
  stopping = true;
  for (const child of running) stop(child);
  process.exitCode = 1;
  setTimeout(() => process.exit(), running.size > 0 ? LAST_WORDS_MS : 0).unref();
}

process.on("exit", () => {
  for (const child of running) signalGroup(child, "SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stopAll);

// npm's shell passes no signal on: when it is ended from outside, this process only sees that its parent has changed.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) stopAll();
}, PARENT_CHECK_MS).unref();

/** The environment of a child: the project's own tools (and its Node) first, colours only on a terminal. */
function childEnvironment(extra: Record<string, string>): NodeJS.ProcessEnv {
  const path = `${join(root, "node_modules/.bin")}${delimiter}${process.env.PATH ?? ""}`;
  const env: NodeJS.ProcessEnv = { ...process.env, PATH: path, ...extra };
  if (!process.stdout.isTTY) {
    env.NO_COLOR = "1";
    delete env.FORCE_COLOR;
  }
  return env;
}

/** Runs a program to its end, or to the deadline. `stopped` says that a signal to this process ended it, or came before it. */
export function run(
  command: string,
  args: readonly string[],
  options: {
    cwd?: string;
    env?: Record<string, string>;
    timeoutMs?: number;
    output?: "show" | "capture";
  } = {},
): Promise<{ code: number; timedOut: boolean; stopped: boolean; stdout: string; stderr: string }> {
  const { cwd, env = {}, timeoutMs, output = "show" } = options;
  if (stopping) return Promise.resolve({ code: 1, timedOut: false, stopped: true, stdout: "", stderr: "" });
  return new Promise((resolve) => {
    const stream = output === "show" ? "inherit" : "pipe";
    const child = spawn(command, args, {
      cwd,
      env: childEnvironment(env),
      detached: true,
      stdio: ["ignore", stream, stream],
    });
    running.add(child);
    let stdout = "";
    let stderr = "";
    let timedOut = false;
    child.stdout?.setEncoding("utf8").on("data", (text) => {
      stdout += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text) => {
      stderr += text;
    });
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(
            () => {
              timedOut = true;
              stop(child);
            },
            Math.max(timeoutMs, 0),
          );
    const end = (code: number) => {
      clearTimeout(timer);
      running.delete(child);
      resolve({ code, timedOut, stopped: stopping, stdout, stderr });
    };
    child.on("error", (error) => {
      stderr += error.message;
      end(127);
    });
    child.on("close", (code) => {
      // What the child left behind in its group goes with it.
      signalGroup(child, "SIGKILL");
      end(code ?? 1);
    });
  });
}
