import { existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { openStore } from "../../src/stores/server.ts";
import { runCli, scratchFolder } from "./run-cli.ts";

let folder: ReturnType<typeof scratchFolder>;
beforeAll(() => {
  folder = scratchFolder();
  symlinkSync(folder.path("loop"), folder.path("loop"));
  writeFileSync(folder.path("chat.json"), JSON.stringify([{ role: "user", content: "hi" }]));
});
afterAll(() => folder.remove());

const FILES: readonly (readonly [string, string, RegExp])[] = [
  ["a link to itself", "loop", /is a link that leads to itself/],
  ["a name that is too long", "x".repeat(300), /can't be read \(ENAMETOOLONG\)/],
  ["a path through a file", "chat.json/x", /a part of its path is a file/],
];
const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
  ["compact", ["--budget", "2k"]],
  ["replay", ["--window", "8k"]],
  ["import", ["--db", "memory"]],
];

it.each(FILES.flatMap((file) => COMMANDS.map((command) => [...file, ...command] as const)))(
  "%s is told in words (%s, %s, %s)",
  async (_, file, words, command, flags) => {
    const { code, stderr } = await runCli([command, folder.path(file), ...flags]);
    expect(code).toBe(1);
    expect(stderr).toMatch(words);
    expect(stderr).not.toMatch(/^\s+at /m);
  },
);

it.each(["loop", "x".repeat(300), "chat.json/x"])(
  "a target that can't be is told in words: %s",
  async (target) => {
    const chat = folder.path("chat.json");
    const { code, stderr } = await runCli(["replay", chat, "--window", "8k", "--html", folder.path(target)]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/can't be written \(E[A-Z]+\)/);
    expect(stderr).not.toMatch(/^\s+at /m);
  },
);

/** Was a file of this name made here, where the command ran? It is gone afterwards. */
function wasMade(name: string): boolean {
  const isThere = existsSync(name);
  for (const end of ["", "-wal", "-shm"]) rmSync(name + end, { force: true });
  return isThere;
}

it.each(["memory", "memory:", ":memory:", "memory://"])("memory makes no file: --db %s", async (db) => {
  const { code, stdout } = await runCli(["import", folder.path("chat.json"), "--db", db]);
  expect(wasMade(db)).toBe(false);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("1") });
  const store = openStore(db);
  expect(store.kind).toBe("memory");
  await store.close();
});

it.each(["memory:x", "sqlite:precis.db", "mysql://me:hunter2@host/chats", "redis:", "postgres:chats"])(
  "an address that is no database makes no file: --db %s",
  async (db) => {
    const { code, stderr } = await runCli(["import", folder.path("chat.json"), "--db", db]);
    expect(wasMade(db)).toBe(false);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/isn't a database that precis knows\. Give a file, postgres:\/\/…, or memory\./);
    expect(stderr).not.toContain("hunter2");
    expect(() => openStore(db)).toThrow(/isn't a database that precis knows/);
    expect(() => openStore(db)).not.toThrow(/hunter2/);
  },
);

it.each(["C:\\chats\\precis.db", "c:/precis.db", "./a:b.db", "/tmp/a:b.db", "file:precis.db"])(
  "the name of a file isn't a URL: %s",
  async (db) => {
    expect(await loadConfig({ env: {}, flags: { db } })).toMatchObject({ db });
    const store = openStore(db); // which opens nothing yet
    expect(store.kind).toBe("sqlite");
  },
);
