import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { createSession, emptyLog, openDatabase } from "./sqlite-session.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-session-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Whoever waits so long for somebody who reads waits longer than a test may take. */
const LONG_MS = 600_000;

test("nobody waits until an export or a backup has read the log: it is emptied when that is done", async () => {
  const path = join(dir, "read.db");
  const session = createSession(await openDatabase(path, { durability: "process", busyMs: LONG_MS }));
  const run = (sql: string) => session.run({ sql, parameters: [] });
  run("create table words (word text)");
  run("insert into words values ('one')");
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec("begin");
  reader.prepare("select * from words").all();
  run("insert into words values ('two')");
  expect(emptyLog(session)).toBe(false);
  reader.exec("commit");
  expect(emptyLog(session)).toBe(true);
  expect(run("pragma busy_timeout")).toEqual([{ timeout: LONG_MS }]);
  reader.close();
  session.close();
});
