import { symlinkSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
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
