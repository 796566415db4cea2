/** `precis launch` with the programs themselves: each must find the gateway by what it was told for this run. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { runCliProcess } from "../cli/run-cli.ts";
import { installed, MACHINE } from "./client-program.ts";
import { cline } from "./programs/cline.ts";

const PROMPT = "Say something kind.";
const ANSWER = "The day is bright.";

const programs: readonly (readonly [
  name: string,
  command: string,
  start: string,
  args: readonly string[],
  machines?: readonly string[] | undefined,
])[] = [
  [
    "gemini",
    "gemini",
    `node ${installed("@google/gemini-cli/bundle/gemini.js")}`,
    ["--skip-trust", "--prompt", PROMPT],
  ],
  ["copilot", "copilot", installed(`@github/copilot-${MACHINE}/copilot`), ["--prompt", PROMPT]],
  ["continue", "cn", `node ${installed("@continuedev/cli/dist/cn.js")}`, ["--print", PROMPT]],
  ["cline", "cline", installed("@cline/cli-linux-x64/bin/cline"), [PROMPT], cline.machines],
];

/**
 * Beside the programs, or in the person's own folder where the clone lies below one that others may write to (as the machine's
 * temporary folder): Gemini CLI believes no settings there.
 */
function homeOfPrograms(): string {
  const beside = installed("");
  return isPrivate(beside) ? beside : homedir();
}

function isPrivate(folder: string): boolean {
  if ((statSync(folder).mode & 0o022) !== 0) return false;
  const above = dirname(folder);
  return above === folder || isPrivate(above);
}

it.for(programs)("%s", async ([name, command, start, args, machines], { skip }) => {
  if (machines && !machines.includes(MACHINE)) skip("it has no package for this machine");
  const folder = mkdtempSync(join(homeOfPrograms(), ".precis-launched-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const provider = await startFakeProvider({ reply: ANSWER });
  onTestFinished(() => provider.close());
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, command), `#!/bin/sh\nexec ${start} "$@"\n`);
  chmodSync(join(bin, command), 0o755);
  const flags = ["--upstream", provider.url, "--model", "gemini-2.5-flash", "--port", "0", "--db", "memory"];
  const { code, stdout, stderr } = await runCliProcess(["launch", name, ...flags, "--", ...args], {
    env: {
      PATH: `${bin}:${process.env["PATH"]}`,
      HOME: folder,
      CLINE_SESSION_BACKEND_MODE: "local",
      COPILOT_OFFLINE: "true",
      HTTPS_PROXY: "http://127.0.0.1:9",
      NO_PROXY: "127.0.0.1,localhost",
    },
  });
  expect(code, stderr).toBe(0);
  expect(stdout).toContain(ANSWER);
  expect(provider.requests.some(({ messages }) => messages.some(({ text }) => text.includes(PROMPT)))).toBe(
    true,
  );
});
