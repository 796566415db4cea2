/** An import that is killed goes on where it stopped: nothing is there twice, nothing is missing, everything is found at once. */
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { sharedPostgres } from "../support/postgres.ts";
import { runCli, scratchFolder, startCli } from "./run-cli.ts";

const folder = scratchFolder();
afterAll(folder.remove);
const logs = folder.path("logs");
mkdirSync(logs);
const FILES = 30;
const MESSAGES = 40;
for (let file = 0; file < FILES; file++)
  writeFileSync(
    `${logs}/${String(file).padStart(2, "0")}.json`,
    JSON.stringify({
      messages: Array.from({ length: MESSAGES }, (_, at) => ({
        role: at % 2 === 0 ? "user" : "assistant",
        content: `File ${file}, message ${at}: the value of key-${file}-${at} is heron-${file * at}.`,
      })),
    }),
  );

/** One number of a database, and what opens it. */
type Counting = { readonly db: string; count(sql: string): Promise<number>; close(): Promise<void> };

function sqlite(name: string): Counting {
  const db = folder.path(name);
  return {
    db,
    async count(sql) {
      const database = new DatabaseSync(db, { readOnly: true });
      try {
        return Number(Object.values(database.prepare(sql).get() ?? {})[0]);
      } finally {
        database.close();
      }
    },
    close: async () => {},
  };
}

async function postgres(): Promise<Counting> {
  const db = await (await sharedPostgres()).database();
  const pool = new pg.Pool({ connectionString: db });
  return {
    db,
    count: async (sql) => Number(Object.values((await pool.query(sql)).rows[0] ?? {})[0]),
    close: () => pool.end(),
  };
}

describe.each(["SQLite", "PostgreSQL"])("%s", (kind) => {
  test("killed in the middle, then run again", async () => {
    const { db, count, close } = kind === "SQLite" ? sqlite("killed.db") : await postgres();
    const conversations = () => count("select count(*) from precis_conversations").catch(() => 0);
    const child = startCli(["import", logs, "--db", db, "--json"]);
    const exit = once(child, "exit");
    await expect.poll(conversations, { interval: 5, timeout: 120_000 }).toBeGreaterThan(2);
    child.kill("SIGKILL");
    await exit;

    const { code, stdout } = await runCli(["import", logs, "--db", db, "--json"]);
    expect(code).toBe(0);
    const outcome = JSON.parse(stdout) as { read: number; unchanged: number };
    expect(outcome.read + outcome.unchanged).toBe(FILES);
    expect(await conversations()).toBe(FILES);
    expect(await count("select count(*) from precis_nodes")).toBe(FILES * MESSAGES);
    expect(await count("select count(*) from precis_conversations where indexed < nodes")).toBe(0);
    const found = await runCli(["recall", "value of key-7-13", "--db", db, "--json", "--limit", "1"]);
    expect(found.stdout).toContain("heron-91.");
    const again = await runCli(["import", logs, "--db", db, "--json"]);
    expect(JSON.parse(again.stdout)).toMatchObject({ read: 0, unchanged: FILES, messages: 0 });
    await close();
  });
});
