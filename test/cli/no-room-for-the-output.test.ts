import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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

/** Runs a command that can't let a file grow beyond 100 kB. Without the trap the system ends a program that tries. */
function runLimited(args: readonly string[]) {
  const program = [process.execPath, programFile("precis"), ...args];
  const limited = `trap '' XFSZ; ulimit -f 200; exec "$@"`;
  return spawnSync("sh", ["-c", limited, "sh", ...program], { encoding: "utf8" });
}

/** A conversation of 600 kB. */
function longChat(): string {
  const long = folder.path("long.json");
  const words = Array.from({ length: 60 }, (_, n) => `The pump number ${n} leaks. `.repeat(400));
  writeFileSync(long, JSON.stringify(words.map((content) => ({ role: "user", content }))));
  return long;
}

onLinux("half a result isn't left behind, and what was there before stays", () => {
  const out = folder.path("compacted.json");
  const args = ["compact", longChat(), "--window", "1m", "--strategy", "none", "--out", out];
  const failed = { status: 1, stderr: expect.stringMatching(/no room .*EFBIG/) };
  expect(runLimited(args)).toMatchObject(failed);
  expect(existsSync(out)).toBe(false);
  writeFileSync(out, "from yesterday", { mode: 0o640 });
  expect(runLimited(args)).toMatchObject(failed);
  expect(readFileSync(out, "utf8")).toBe("from yesterday");
  expect(readdirSync(folder.path(".")).filter((name) => name.endsWith(".part"))).toEqual([]);
});

it("a result takes the place of a file with its mode, and is written through links", async () => {
  const out = folder.path("mode.json");
  const link = folder.path("link.json");
  const other = folder.path("other.json");
  writeFileSync(out, "before");
  chmodSync(out, 0o644);
  symlinkSync(out, link);
  linkSync(out, other);
  for (const target of [link, other, out]) {
    writeFileSync(out, "before");
    expect(await runCli(["compact", chat, "--budget", "2k", "--out", target])).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(out, "utf8"))).toHaveProperty("messages");
    expect(statSync(out).mode & 0o777).toBe(0o644);
  }
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(statSync(other).ino).toBe(statSync(out).ino);
});

onLinux("half an export isn't left behind, where it would look like a whole one", async () => {
  const db = folder.path("precis.db");
  expect(await runCli(["import", longChat(), "--db", db])).toMatchObject({ code: 0 });
  const out = folder.path("export.jsonl");
  const { status, stderr } = runLimited(["db", "export", "--db", db, "--out", out]);
  expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringMatching(/no room .*EFBIG/) });
  expect(existsSync(out)).toBe(false);
  expect(await runCli(["db", "export", "--db", db, "--out", out])).toMatchObject({ code: 0 });
});
