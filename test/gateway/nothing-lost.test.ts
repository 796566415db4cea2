import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { byProof } from "../support/proof.ts";
import { HANGS_AFTER_MS } from "../support/time-limits.ts";
import { beginChats, missingChats, type Said, takeTurn } from "./chats.ts";
import { type ServeProcess, startServe } from "./serve-process.ts";

/** How often a node is killed on each database. */
const KILLS = Number(process.env["PRECIS_KILLS"] ?? byProof({ sample: 2, more: 20, all: 500 }));
/** Then clients begin new chats: what counts is how often, not how long. */
const KILLS_PER_CHAT = 25;
/** One kill with its start and its talk, on a busy machine (milliseconds). */
const KILL_MS = 30_000;
const CLIENTS = 6;
const WINDOW = 4_000;

let folder: string;
let provider: FakeProvider;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "precis-kill-"));
  provider = await startFakeProvider({
    window: WINDOW,
    reply: ({ number }) => `Answer ${number}. ${"word ".repeat(40)}`,
  });
});
afterEach(async () => {
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

/** Talks until the server is gone; keeps only what was answered to the end. */
async function talk(url: string, chat: Said[], streamed: boolean): Promise<void> {
  try {
    while (await takeTurn(url, chat, streamed)) {
      // The next turn.
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

it.each([
  ["SQLite", async () => join(folder, "precis.db")],
  ["PostgreSQL", async () => (await sharedPostgres()).database()],
])(
  "%s: loses nothing that was acknowledged when it is killed at any moment",
  async (_name, open) => {
    const db = await open();
    for (let done = 0; done < KILLS; done += KILLS_PER_CHAT) {
      const chats = beginChats(CLIENTS, `after ${done} kills`);
      const turns = () => chats.reduce((sum, chat) => sum + chat.length / 2, 0);
      for (let kill = 0; kill < Math.min(KILLS_PER_CHAT, KILLS - done); kill++) {
        const serve: ServeProcess = await startServe(
          ["--upstream", provider.url, "--window", String(WINDOW)],
          { db },
        );
        const talking = Promise.all(chats.map((chat, n) => talk(serve.url, chat, n % 2 === 0)));
        const enough = turns() + 10 + Math.floor(Math.random() * 20);
        while (turns() < enough) await new Promise((resolve) => setTimeout(resolve, 5 * Math.random()));
        await serve.stop("SIGKILL");
        await talking;
      }
      expect(await missingChats(db, chats)).toEqual([]);
    }
    expect(provider.requests.filter(({ status }) => status === 400)).toEqual([]);
  },
  KILLS * KILL_MS + HANGS_AFTER_MS,
);

/** False once the server takes no new requests. */
const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`, { headers: { connection: "close" } }).then(
    ({ ok }) => ok,
    () => false,
  );

it("ends the requests under way before it goes", async () => {
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => (answer = resolve));
  provider.setReply(() => isAnswered.then(() => "slow but sure"));
  const serve = await startServe(["--upstream", provider.url], {});
  const asked = fetch(`${serve.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "hello" }] }),
  });
  await expect.poll(() => provider.requests.length).toBe(1);
  const stopped = serve.stop("SIGTERM");
  await expect.poll(() => isReady(serve.url)).toBe(false);
  answer();
  expect(await (await asked).text()).toContain("slow but sure");
  await stopped;
  expect(serve.child.exitCode).toBe(0);
});
