import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadedModules } from "../support/loaded-modules.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
/** Files that a command line loads as modules, its own counter included. */
const loadedBy = (...args: string[]): string[] => loadedModules([MAIN, ...args]).files;

test("--version doesn't load the server, nor any other command", () => {
  expect(loadedBy("--version").length).toBeLessThanOrEqual(8);
});

test("a mistyped command is answered without loading the others", () => {
  const files = loadedBy("comapct");
  expect(files.length).toBeGreaterThan(4);
  expect(files.length).toBeLessThanOrEqual(22);
});

test("a command loads no server that it doesn't start", () => {
  const files = loadedBy("compact", "--help");
  expect(files.filter((file) => /\/src\/(gateway|stores\/sql)/.test(file))).toEqual([]);
});

test("the thread that takes over SQLite's log loads no package", () => {
  const thread = fileURLToPath(new URL("../../src/stores/sqlite/log-thread.ts", import.meta.url));
  const { files } = loadedModules([thread]);
  expect(files).toContainEqual(expect.stringMatching(/sqlite-session\.ts$/));
  expect(files.filter((file) => /node_modules/.test(file))).toEqual([]);
});
