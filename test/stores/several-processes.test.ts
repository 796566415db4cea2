import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/stores/open-store.ts";
import { sharedPostgres, type TestDatabases } from "../support/postgres.ts";
import { byProof } from "../support/proof.ts";
import { HANGS_AFTER_MS } from "../support/time-limits.ts";
import { startChild } from "./run-child.ts";

const STARTS = byProof({ sample: 1, more: 5, all: 20 });
/** Processes that open an empty database at once. */
const OPENERS = byProof({ sample: ["a", "b"], more: ["a", "b", "c"], all: ["a", "b", "c"] });
const KILLS = byProof({ sample: 1, more: 8, all: 100 });
/** A killed writer has worked for up to this long (milliseconds), and has acknowledged something. */
const KILL_WITHIN_MS = 400;
/** A crowded machine takes a while to start processes. */
const PER_START_MS = 30_000;
const timeLimitOf = (starts: number) => HANGS_AFTER_MS + starts * PER_START_MS;
const LEASE_PROCESSES = byProof({ sample: 2, more: 3, all: 3 });
const LEASE_ROUNDS = 10;

const dir = mkdtempSync(join(tmpdir(), "precis-processes-"));
let postgres: TestDatabases;
let files = 0;
beforeAll(async () => {
  postgres = await sharedPostgres();
});
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

describe.each([
  ["SQLite", async () => join(dir, `${files++}.db`)],
  ["PostgreSQL", () => postgres.database()],
])("%s, several processes", (_name, fresh) => {
  test("that start at once on an empty database all work", { timeout: timeLimitOf(STARTS) }, async () => {
    for (let n = 0; n < STARTS; n++) {
      const where = await fresh();
      const children = OPENERS.map((name) => startChild("open", where, name));
      const ends = await Promise.all(children.map((child) => child.ended));
      expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
        ends.map(() => ({ code: 0, stderr: "" })),
      );
      const store = openStore(where);
      const said = (await store.conversations.list("t")).conversations.map(({ title }) => title);
      expect(said.toSorted()).toEqual(OPENERS);
      await store.close();
    }
  });

  test("never hold one lease at the same time", async () => {
    const where = await fresh();
    const counter = join(dir, `counter-${files++}`);
    writeFileSync(counter, "0");
    const children = Array.from({ length: LEASE_PROCESSES }, (_, i) =>
      startChild("lease", where, `owner-${i}`, counter),
    );
    for (const { code, stderr } of await Promise.all(children.map((child) => child.ended)))
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(Number(readFileSync(counter, "utf8"))).toBe(LEASE_PROCESSES * LEASE_ROUNDS);
  });

  test("killed at any moment have written all that they acknowledged, and nothing by halves", {
    timeout: timeLimitOf(KILLS),
  }, async () => {
    const where = await fresh();
    for (let n = 0; n < KILLS; n++) {
      const session = `s${n}`;
      const child = startChild("write", where, session);
      // At work with another writer beside it.
      const other = startChild("write", where, `${session}-other`);
      while (child.lines().length === 0 || other.lines().length === 0) {
        if (child.process.exitCode !== null) throw new Error((await child.ended).stderr);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await new Promise((resolve) => setTimeout(resolve, Math.random() * KILL_WITHIN_MS));
      child.process.kill("SIGKILL");
      other.process.kill("SIGKILL");
      for (const [name, end] of [
        [session, await child.ended],
        [`${session}-other`, await other.ended],
      ] as const) {
        const acknowledged = end.lines.length;
        expect(acknowledged).toBeGreaterThan(0);
        const store = openStore(where);
        const conversation = await store.conversations.findSession("t", name);
        const messages = await store.conversations.read("t", conversation?.id ?? "");
        expect(messages.length).toBeGreaterThanOrEqual(acknowledged);
        expect(messages.length).toBe(conversation?.length);
        for (const [i, message] of messages.entries()) {
          expect(message.hash).toBe(`${name}-${i}`);
          const { content } = JSON.parse(message.wire) as { content: string };
          expect(content.startsWith(`${i} x`) && content.length).toBe(20_000);
        }
        const { checkpoints } = await store.records("t").find(messages.map((message) => message.hash));
        expect(checkpoints.length).toBeGreaterThanOrEqual(acknowledged);
        for (const one of checkpoints) expect(one.texts["text"]).toHaveLength(20_000);
        await store.close();
      }
    }
  });
});
