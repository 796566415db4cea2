import { existsSync } from "node:fs";
import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { runClient } from "../../src/cli/launch/run-client.ts";
import { runCommandLine } from "../../src/cli/run-command-line.ts";
import { scratchFolder } from "./run-cli.ts";

const stopped = AbortSignal.abort();
const output = { write: () => true };
const io = () => ({
  // Nobody writes to it, and nobody closes it.
  stdin: new Readable({ read() {} }),
  stdout: output,
  stderr: output,
  env: { PATH: process.env["PATH"] },
  signal: stopped,
  interrupted: stopped,
});

it("Ctrl-C while a chat starts ends it, although stdin stays open", async () => {
  expect(await runCommandLine(["chat", "--db", "memory"], io())).toBe(130);
});

it("Ctrl-C while the gateway of a client starts ends it, and the client isn't started", async () => {
  const folder = scratchFolder();
  const mark = folder.path("started");
  const settings = { env: {}, args: ["-c", `touch '${mark}'`] };
  await expect(runClient({ command: "sh", install: "" }, settings, [], io())).rejects.toThrow();
  expect(existsSync(mark)).toBe(false);
  folder.remove();
});
