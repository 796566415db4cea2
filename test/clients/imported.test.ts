/** What these programs leave on disk is found by `precis recall` after an import of their home, and again after they went on. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { runCli } from "../cli/run-cli.ts";
import { MACHINE } from "./client-program.ts";
import { startNoWayOut } from "./no-way-out.ts";
import { claudeCode } from "./programs/claude-code.ts";
import { codex } from "./programs/codex.ts";
import { opencode } from "./programs/opencode.ts";
import { pi } from "./programs/pi.ts";
import { runProgram } from "./run-program.ts";

const TIMEOUT_MS = 60_000;

it.for([claudeCode, codex, opencode, pi])("$name", async (program, { skip }) => {
  if (program.machines && !program.machines.includes(MACHINE)) skip("it has no package for this machine");
  const home = await mkdtemp(join(tmpdir(), "precis-imported-"));
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  const work = join(home, "work");
  await mkdir(work);
  await writeFile(join(work, "beacon.ts"), "export const beacon = 'saffron-12';\n");
  const wayOut = await startNoWayOut();
  onTestFinished(wayOut.close);
  let hasRead = false;
  const provider = await startFakeProvider({
    window: 200_000,
    reply({ tools, messages }) {
      if (tools.length === 0) return "A title";
      if (messages.some(({ text }) => text.includes("And the pier?"))) return "The pier is crimson-9.";
      if (hasRead) return "The beacon is saffron-12.";
      hasRead = true;
      return { text: "I look.", calls: [program.readCall("beacon.ts", { work })] };
    },
  });
  onTestFinished(provider.close);
  const ask = async (prompt: string, resumes: boolean) => {
    const setup = { url: provider.url, home, work, prompt, resumes, proxy: wayOut.url };
    const { code, err } = await runProgram(program, { ...setup, timeoutMs: TIMEOUT_MS });
    expect(code, err).toBe(0);
  };
  const db = join(home, "precis.db");
  const imported = async (): Promise<{ read: number; messages: number }> => {
    const { code, stdout, stderr } = await runCli(["import", home, "--db", db, "--json"]);
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };
  const recalled = async (words: string): Promise<string> =>
    (await runCli(["recall", words, "--db", db, "--limit", "20"])).stdout;

  await ask("Where is the beacon?", false);
  await imported();
  const found = await recalled("beacon");
  expect(found).toContain("The beacon is saffron-12.");
  expect(found).toContain("export const beacon");
  expect(await imported()).toMatchObject({ read: 0, messages: 0 });

  if (program.cannotResume !== undefined) return;
  await ask("And the pier?", true);
  expect((await imported()).messages).toBeGreaterThan(0);
  expect(await recalled("pier")).toContain("The pier is crimson-9.");
});
