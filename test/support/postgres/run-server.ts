/** Runs PostgreSQL as a child that can't outlive this process. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import type { ServerHome, UserIds } from "./programs.ts";

/** The server's words are looked at, so they must be in English. */
const ENGLISH = { LC_ALL: "C", LC_MESSAGES: "C" };
const READY = "database system is ready to accept connections";

/**
 * A shell that ends the server, and removes its folder, when its own standard input ends: that happens when the process
 * that holds the other end closes it or dies, even by SIGKILL. A line instead of the end keeps the folder.
 */
const KEEPER = `
folder=$1; shift
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ read -r line <&3; ended=$?; kill -INT $server; exit $ended; } 2>/dev/null &
watch=$!
wait $server; code=$?
kill $watch 2>/dev/null; wait $watch
[ $? -ne 1 ] || rm -rf "$folder"
exit $code`;

export interface RunningServer {
  /** Ends all connections and the server, and waits for its end. */
  stop(folder: "keep" | "remove"): Promise<void>;
}

/** Makes an empty cluster. An error has the program's own words. */
export async function initialise(
  home: ServerHome,
  data: string,
  account: { readonly user: string; readonly passwordFile: string },
): Promise<void> {
  const args = [
    `--pgdata=${data}`,
    "--auth=password",
    `--username=${account.user}`,
    `--pwfile=${account.passwordFile}`,
    "--encoding=UTF8",
    "--locale=C",
    "--no-sync",
  ];
  await promisify(execFile)(home.initdb, args, processOptions(home));
}

/** Starts the server on an existing cluster; resolves when it takes connections. An error has the server's own words. */
export async function runServer(
  home: ServerHome,
  data: string,
  settings: Readonly<Record<string, string>>,
): Promise<RunningServer> {
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const child = spawn("sh", ["-c", KEEPER, "sh", home.folder, home.postgres, "-D", data, ...flags], {
    ...processOptions(home),
    stdio: ["pipe", "ignore", "pipe"],
    // What ends a run with all of its processes must not hit the shell before it has cleared up.
    detached: true,
  });
  await ready(child);
  // Nothing reads the log from here on, but a full pipe would hold the server.
  child.stderr?.resume();
  // Neither the server nor its log keeps this process alive.
  child.unref();
  return {
    async stop(folder) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const end = once(child, "exit");
      child.ref();
      child.stdin?.end(folder === "keep" ? "keep\n" : "");
      await end;
    },
  };
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    const fail = (how: string) => reject(new Error(`PostgreSQL ${how}.\n${said.trim()}`));
    child.on("error", (error) => fail(`could not be run: ${error.message}`));
    // Not at "exit": what it said last may not have been read yet.
    child.on("close", (code, signal) => fail(`ended before it was ready (${signal ?? `exit code ${code}`})`));
    child.stdin?.on("error", () => {});
    child.stderr?.setEncoding("utf8").on("data", function read(text: string) {
      said += text;
      if (!said.includes(READY)) return;
      child.stderr?.off("data", read);
      resolve();
    });
  });
}

/** The working folder is one that every user can enter: the project's may be closed to the server's. */
function processOptions(home: ServerHome): Partial<UserIds> & { cwd: string; env: NodeJS.ProcessEnv } {
  return { ...home.user, cwd: "/", env: { ...process.env, ...ENGLISH } };
}
