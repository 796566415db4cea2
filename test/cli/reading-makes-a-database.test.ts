import { readdirSync, statSync, writeFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { runCli, scratchFolder } from "./run-cli.ts";

const folder = scratchFolder();
afterAll(folder.remove);

const READING = [
  ["inspect"],
  ["recall", "rye"],
  ["mcp"],
  ["db"],
  ["db", "sweep"],
  ["db", "export"],
  ["db", "vacuum"],
  ["serve", "--keys"],
  ["chat", "--list"],
  ["chat", "--resume"],
];

it.each(READING)("an empty file is no database, and stays empty: %s %s", async (...command) => {
  const db = folder.path("empty.db");
  writeFileSync(db, "");
  const { code, stderr } = await runCli([...command.filter(Boolean), "--db", db]);
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(`no database ${db}`) });
  expect(statSync(db).size).toBe(0);
  expect(readdirSync(folder.path("."))).toEqual(["empty.db"]);
});

it.each(READING)("a file that isn't there isn't made: %s %s", async (...command) => {
  const db = folder.path("missing.db");
  const { code, stderr } = await runCli([...command.filter(Boolean), "--db", db]);
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(`no database ${db}`) });
  expect(readdirSync(folder.path("."))).toEqual(["empty.db"]);
});
