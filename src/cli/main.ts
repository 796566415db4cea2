#!/usr/bin/env node
import type { Io } from "./io.ts";
import { runCommandLine } from "./run-command-line.ts";

const controller = new AbortController();
const byHand = new AbortController();
/** What was told to end may take so long to let go of connections that don't answer (milliseconds). */
const LINGER_MS = 1_000;
let isEnding = false;
const interrupt = (signal: NodeJS.Signals): void => {
  isEnding = true;
  controller.abort(new Error("interrupted"));
  if (signal === "SIGINT") byHand.abort();
};
process.once("SIGINT", interrupt);
process.once("SIGTERM", interrupt);
// A reader that has seen enough (`| head`) is no failure.
process.stdout.on("error", async (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  const { unwritable } = await import("./write-output.ts");
  process.stderr.write(`precis: ${unwritable("the output", error.code ?? error.message)}\n`);
  process.exit(1);
});
// Nobody reads notes: the command goes on without them.
process.stderr.on("error", () => {});

const io: Io = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal: controller.signal,
  interrupted: byHand.signal,
  onHangUp(end) {
    const heard = (): void => {
      isEnding = true;
      end();
    };
    process.once("SIGHUP", heard);
    return () => process.off("SIGHUP", heard);
  },
  letGo() {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  },
};
process.exitCode = await runCommandLine(process.argv.slice(2), io);
if (isEnding) setTimeout(() => process.exit(), LINGER_MS).unref();
