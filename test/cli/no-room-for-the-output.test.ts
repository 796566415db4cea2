import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { programFile } from "../support/programs.ts";
import { runCli, scratchFolder } from "./run-cli.ts";

/** A device that is always full. */
const FULL = "/dev/full";
const onLinux = it.runIf(existsSync(FULL));

let folder: ReturnType<typeof scratchFolder>;
let chat: string;
beforeAll(() => {
  folder = scratchFolder();
  chat = folder.path("chat.json");
  writeFileSync(chat, JSON.stringify([{ role: "user", content: "hi" }]));
});
afterAll(() => folder.remove());

/** Compacts a file with a note on stderr, with one of the outputs on the full device. */
function compactOnto(redirection: string) {
  const log = folder.path("cut.jsonl");
  writeFileSync(log, `{"role":"user","content":"hi"}\n{"role":`);
  const program = [process.execPath, programFile("precis"), "compact", log, "--budget", "2k"];
  return spawnSync("sh", ["-c", `"$@" ${redirection}`, "sh", ...program], { encoding: "utf8" });
}

onLinux("a full disk below stdout is told without a stack", () => {
  const { status, stderr } = compactOnto(`> ${FULL}`);
  expect(status).toBe(1);
  expect(stderr).toMatch(/^precis: the output can't be written: there is no room for it \(ENOSPC\)\. Free/m);
  expect(stderr).not.toMatch(/^\s+at /m);
});

onLinux("notes that can't be written don't end a command", () => {
  const { status, stdout } = compactOnto(`2> ${FULL}`);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toHaveProperty("messages");
});

onLinux("a target without room is told with what to do", async () => {
  const { code, stderr } = await runCli(["compact", chat, "--budget", "2k", "--out", FULL]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/there is no room for it \(ENOSPC\)\. Free some space/);
});

onLinux("half an export isn't left behind, where it would look like a whole one", async () => {
  const db = folder.path("precis.db");
  const long = folder.path("long.json");
  const words = Array.from({ length: 60 }, (_, n) => `The pump number ${n} leaks. `.repeat(400));
  writeFileSync(long, JSON.stringify(words.map((content) => ({ role: "user", content }))));
  expect(await runCli(["import", long, "--db", db])).toMatchObject({ code: 0 });
  const out = folder.path("export.jsonl");
  const program = [process.execPath, programFile("precis"), "db", "export", "--db", db, "--out", out];
  // No file may grow beyond 100 kB; without the trap the system ends a program that tries.
  const limited = `trap '' XFSZ; ulimit -f 200; exec "$@"`;
  const { status, stderr } = spawnSync("sh", ["-c", limited, "sh", ...program], { encoding: "utf8" });
  expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringMatching(/no room .*EFBIG/) });
  expect(existsSync(out)).toBe(false);
  expect(await runCli(["db", "export", "--db", db, "--out", out])).toMatchObject({ code: 0 });
});
