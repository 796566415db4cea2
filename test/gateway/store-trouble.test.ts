import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { byProof } from "../support/proof.ts";
import { beginChats, missingChats, type Said, takeTurn } from "./chats.ts";
import { serveHere } from "./serve-here.ts";
import { type ServeProcess, startServe } from "./serve-process.ts";

/** A store in trouble costs no client its answer, and what it missed is stored with the next request. */

const CLIENTS = 4;
const WINDOW = 4_000;
/** A database that is away for so long (milliseconds). */
const AWAY_MS = byProof({ sample: 300, more: 1_500, all: 1_500 });
/** Between two turns of a client (milliseconds): it is the store that is tried here, not how much it can take. */
const PAUSE_MS = 40;
/** How often all connections are cut. */
const CUTS = byProof({ sample: 2, more: 5, all: 5 });

let provider: FakeProvider;
beforeAll(async () => {
  provider = await startFakeProvider({
    window: WINDOW,
    reply: ({ number }) => `Answer ${number}. ${"word ".repeat(40)}`,
  });
});
afterAll(() => provider.close());

const flags = () => ["--upstream", provider.url, "--window", String(WINDOW)];

/** All chats talk until `isOver`; a client that sees anything but a whole answer fails the test. */
async function talkUntil(url: string, chats: Said[][], isOver: () => boolean): Promise<void> {
  await Promise.all(
    chats.map(async (chat, n) => {
      while (!isOver()) {
        expect(await takeTurn(url, chat, n % 2 === 0)).toBe(true);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }),
  );
}

/** Every chat goes on for another turn. */
async function whenAllGoOn(chats: readonly Said[][]): Promise<void> {
  const before = chats.map(({ length }) => length);
  await expect.poll(() => chats.every(({ length }, n) => length > before[n]!)).toBe(true);
}

async function oneMoreTurn(url: string, chats: Said[][]): Promise<void> {
  await Promise.all(chats.map((chat, n) => takeTurn(url, chat, n % 2 === 0)));
}

describe("PostgreSQL", () => {
  let postgres: TestPostgres;
  let db: string;
  let serve: ServeProcess;
  beforeAll(async () => {
    postgres = await startPostgres();
    db = await postgres.database();
    serve = await startServe(flags(), { db });
  });
  afterAll(async () => {
    await serve?.stop("SIGKILL");
    await postgres?.stop();
  });

  it("is restarted while clients talk", async () => {
    const chats = beginChats(CLIENTS, "over a restart");
    let isBack = false;
    const restarting = (async () => {
      await whenAllGoOn(chats);
      await postgres.restart(AWAY_MS);
      isBack = true;
    })();
    await talkUntil(serve.url, chats, () => isBack);
    await restarting;
    await oneMoreTurn(serve.url, chats);
    expect(await missingChats(db, chats)).toEqual([]);
  });

  it("loses its connections again and again", async () => {
    const chats = beginChats(CLIENTS, "over cuts");
    const admin = new pg.Client(db);
    await admin.connect();
    let cuts = 0;
    let ended = 0;
    const cutting = (async () => {
      for (; cuts < CUTS; cuts++) {
        await whenAllGoOn(chats);
        const { rowCount } = await admin.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
        );
        ended += rowCount ?? 0;
      }
    })();
    await talkUntil(serve.url, chats, () => cuts === CUTS);
    await cutting;
    await admin.end();
    expect(ended).toBeGreaterThanOrEqual(CUTS);
    await oneMoreTurn(serve.url, chats);
    expect(await missingChats(db, chats)).toEqual([]);
  });
});

it("the disk is full under SQLite", async () => {
  const folder = await mkdtemp(join(tmpdir(), "precis-full-"));
  const db = join(folder, "precis.db");
  const chats = beginChats(CLIENTS);
  const first = await startServe(flags(), { db });
  onTestFinished(() => first.stop("SIGKILL"));
  await oneMoreTurn(first.url, chats);
  expect(await missingChats(db, chats)).toEqual([]);
  await first.fillDisk();
  const failed = () => first.log().split("could not be stored").length > 2 * CLIENTS;
  await talkUntil(first.url, chats, failed);
  await first.stop("SIGKILL");
  expect(await missingChats(db, chats)).not.toEqual([]);

  const second = await serveHere(flags(), { db });
  await oneMoreTurn(second.url, chats);
  expect(await missingChats(db, chats)).toEqual([]);
  await second.stop();
  const database = new DatabaseSync(db, { readOnly: true });
  expect(database.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  database.close();
  await rm(folder, { recursive: true, force: true });
});
