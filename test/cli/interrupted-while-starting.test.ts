import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { runClient } from "../../src/cli/launch.ts";
import { runCommandLine } from "../../src/cli/run-command-line.ts";
import { scratchFolder } from "./run-cli.ts";

const stopped = AbortSignal.abort();
const output = { write: () => true };
const io = (signal = stopped, programs = "") => ({
  // Nobody writes to it, and nobody closes it.
  stdin: new Readable({ read() {} }),
  stdout: output,
  stderr: output,
  env: { PATH: `${programs}:${process.env["PATH"]}` },
  signal,
  interrupted: signal,
});

it("Ctrl-C while a chat starts ends it, although stdin stays open", async () => {
  expect(await runCommandLine(["chat", "--db", "memory"], io())).toBe(130);
});

it("Ctrl-C while the gateway of a client starts ends it, and the client isn't started", async () => {
  const folder = scratchFolder();
  const mark = folder.path("started");
  const settings = { env: {}, args: ["-c", `touch '${mark}'`] };
  await expect(runClient({ command: "sh" }, settings, [], io())).rejects.toThrow();
  expect(existsSync(mark)).toBe(false);
  folder.remove();
});

it.each(["chat", "launch claude --port 1", "db status", "recall pump"])(
  "Ctrl-C ends precis %s while its database doesn't answer",
  async (line) => {
    // It has to be there: a program that is missing is said before anything starts.
    const programs = scratchFolder();
    onTestFinished(() => programs.remove());
    writeFileSync(programs.path("claude"), "#!/bin/sh\n", { mode: 0o755 });
    let isGivenUp = false;
    const silent = createServer((socket) => {
      socket.resume().once("close", () => {
        isGivenUp = true;
      });
      onTestFinished(() => void socket.destroy());
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const byHand = new AbortController();
    const args = [...line.split(" "), "--db", `postgres://nobody@127.0.0.1:${port}/none`];
    const ended = runCommandLine(args, io(byHand.signal, dirname(programs.path("claude"))));
    await once(silent, "connection");
    byHand.abort();
    expect(await ended).toBe(130);
    // One that waits for the database first ends with its failure.
    expect(isGivenUp).toBe(false);
  },
);
