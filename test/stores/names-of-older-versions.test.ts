/** What a version with the old hash stored goes on: nothing is compacted, paid for or forked again. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLegacyChain } from "../../src/core/legacy/chain.ts";
import { openaiChat } from "../../src/dialects/index.ts";
import { memoryServerStore } from "../../src/stores/memory/server.ts";
import { migrations } from "../../src/stores/migrations/index.ts";
import { postgresEngine } from "../../src/stores/postgres.ts";
import type { ServerStore } from "../../src/stores/server-store.ts";
import { createSqlStore } from "../../src/stores/sql/create-sql-store.ts";
import type { MigrationProgress } from "../../src/stores/sql/migrate.ts";
import { putRow } from "../../src/stores/sql/put-row.ts";
import type { SqlEngine } from "../../src/stores/sql/sql-engine.ts";
import { sqliteEngine } from "../../src/stores/sqlite.ts";
import {
  type FakeRequest,
  startFakeProvider,
  summarizingReply,
} from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "../gateway/gateway-process.ts";
import { fillOldDatabase, oldClients, oldExport, tenantOf } from "../support/old-database.ts";
import { oldJournal } from "../support/old-journal.ts";
import { sharedPostgres, type TestDatabases } from "../support/postgres.ts";

const WINDOW = 8_000;
/** Enough that the work takes several batches. */
const MANY = 15;
const folder = mkdtempSync(join(tmpdir(), "precis-names-"));
let postgres: TestDatabases;
let files = 0;
beforeAll(async () => {
  postgres = await sharedPostgres();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const newPath = () => join(folder, `${files++}.db`);
const sqlite = async (): Promise<() => SqlEngine> => {
  const path = newPath();
  return () => sqliteEngine(path);
};
const postgresql = async (): Promise<() => SqlEngine> => {
  const connectionString = await postgres.database();
  return () =>
    postgresEngine(
      new pg.Pool({ connectionString }).on("error", () => {}),
      { where: "PostgreSQL", ownsPool: true },
    );
};
const isSummary = ({ messages, lastUser }: FakeRequest) =>
  /summar|condense/i.test(lastUser) ||
  messages.some(({ role, text }) => role === "system" && /summar/i.test(text));

/** Each client sends its next request. */
async function goOn(store: ServerStore): Promise<void> {
  const summary = summarizingReply({ when: () => true });
  let summaries = 0;
  const provider = await startFakeProvider({
    window: WINDOW,
    async reply(request) {
      if (!isSummary(request)) return "The next answer.";
      summaries++;
      return String(await summary(request));
    },
  });
  const running = await startGateway({ ...upstreamAt(provider.url), window: WINDOW }, { store });
  try {
    const lengths = async () =>
      new Map(
        (await store.conversations.list("default")).conversations.map(({ id, length }) => [id, length]),
      );
    const actions: Record<string, string | null> = {};
    const before = await lengths();
    const sent: Record<string, string> = {};
    for (const [name, { path, headers, body }] of Object.entries(oldClients())) {
      const response = await fetch(`${running.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", ...headers },
        body: JSON.stringify(body),
      });
      expect(response.status, `${name}: ${await response.text()}`).toBe(200);
      actions[name] = response.headers.get("x-precis-action");
      sent[name] = JSON.stringify(provider.requests.at(-1));
    }
    const after = await lengths();
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
    // Each has its question and its answer more.
    for (const [id, length] of after) expect(length - before.get(id)!).toBe(2);
    expect(summaries).toBe(0);
    expect(actions).toMatchObject({ plain: "view", edited: "view", undone: "pass", marked: "view" });
    expect(sent["edited"]).toContain("ZEBRA-77");
    expect(sent["responses"]).toContain("responses, step 0");
    const { id } = oldClients()["plain"]!;
    expect(await store.citations.list("default", id)).toMatchObject([{ source: "https://example.com/a" }]);
    expect(await store.conversations.get("default", id)).toMatchObject({ meta: { pins: [2] } });
  } finally {
    await running.close();
    await provider.close();
  }
}

describe.each([
  ["SQLite", sqlite],
  ["PostgreSQL", postgresql],
])("%s", (_name, place) => {
  test("a database of the version before goes on as if nothing had happened", async () => {
    const engine = await place();
    await fillOldDatabase(engine());
    await goOn(createSqlStore(engine(), {}));
  });

  test("a node that is killed on the way leaves the rest to the next one, and two share the work", async () => {
    const engine = await place();
    await fillOldDatabase(engine(), MANY);
    const reports: number[] = [];
    const killed = createSqlStore(engine(), {
      onMigration({ done, total }) {
        reports.push(done);
        expect(total).toBe(7 * MANY);
        throw new Error("killed");
      },
    });
    await expect(killed.ready()).rejects.toThrow("killed");
    await killed.close();
    expect(reports[0]).toBeLessThan(7 * MANY);
    // The index of words, which comes after the names, reports as well.
    const onMigration = ({ step, done }: MigrationProgress) => {
      if (step === "0006-cryptographic-names") reports.push(done);
    };
    const nodes = [0, 1].map(() => createSqlStore(engine(), { onMigration }));
    await Promise.all(nodes.map((node) => node.ready()));
    expect(new Set(reports).size).toBe(reports.length);
    expect(reports.at(-1)).toBe(7 * MANY);
    const { id } = oldClients()["edited"]!;
    const names = await Promise.all(
      Array.from({ length: MANY }, async (_, copy) =>
        (await nodes[0]!.conversations.read(tenantOf(copy), id)).map(({ hash }) => hash),
      ),
    );
    expect(new Set(names.map((one) => one.join())).size).toBe(1);
    expect(names[0]![0]).toMatch(/^[\w-]{43}$/);
    const records = await nodes[1]!.records(tenantOf(MANY - 1)).find(names[0]!);
    expect(records.summaries.map(({ author }) => author).sort()).toEqual(["model", "user"]);
    expect(records.checkpoints).toHaveLength(2);
    expect(records.undos).toHaveLength(1);
    for (const node of nodes) await node.close();
  });

  test("a node of the version before that still runs is told to be restarted", async () => {
    const engine = await place();
    await fillOldDatabase(engine());
    const newer = createSqlStore(engine(), {});
    await newer.ready();
    const older = engine();
    await older.open();
    const row = { tenant: "default", conversation: oldClients()["plain"]!.id, position: 99 };
    const message = { ...row, hash: "0123456789abcdef".repeat(2), role: "user", at: 1, wire: "{}" };
    await expect(older.transact(putRow("precis_messages", message))).rejects.toThrow(
      "precis was upgraded: restart this node with the new version",
    );
    await older.close();
    await newer.close();
    const reopened = createSqlStore(engine(), {}, migrations.slice(0, 4));
    await expect(reopened.ready()).rejects.toThrow(
      new RegExp(`schema version ${migrations.length}.*knows versions up to 4.*Upgrade precis`),
    );
    await reopened.close();
  });

  test("an export of the version before is imported under the new names", async () => {
    const engine = await place();
    const store = createSqlStore(engine(), {});
    await store.upkeep.importAll(oldExport());
    await goOn(store);
  });
});

test("memory: an export of the version before is imported under the new names", async () => {
  const store = memoryServerStore();
  await store.upkeep.importAll(oldExport());
  await goOn(store);
});

test("SQLite: what a killed process of the version before left in its journal is there under the new names", async () => {
  const path = newPath();
  await fillOldDatabase(sqliteEngine(path));
  const wires = ["Was this stored?", "It is in the journal."].map((content, n) => ({
    role: n === 0 ? ("user" as const) : ("assistant" as const),
    content,
  }));
  const chain = createLegacyChain();
  const messages = wires.map((wire, n) => {
    chain.add(openaiChat.read(wire));
    return { hash: chain.hashes[n + 1]!, role: wire.role, wire: JSON.stringify(wire), at: 1 };
  });
  const input = {
    messages,
    at: 1,
    isNew: true,
    session: "s",
    dialect: "openai-chat",
    title: "Left",
  } as const;
  mkdirSync(`${path}-journals`);
  writeFileSync(
    join(`${path}-journals`, "019a0000-0000-7000-8000-000000000000.journal"),
    oldJournal({ tenant: "default", id: "left-behind", input, position: 0 }),
  );
  const store = createSqlStore(sqliteEngine(path), {});
  const stored = await store.conversations.read("default", "left-behind");
  expect(stored.map(({ wire }) => wire)).toEqual(messages.map(({ wire }) => wire));
  for (const { hash } of stored) expect(hash).toMatch(/^[\w-]{43}$/);
  await store.close();
});
