/** Live streams of `/v1/streams` go on after a restart, and at another server of the same store. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sharedPostgres } from "../support/postgres.ts";
import { type StartedGateway, startGateway } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";
import { startServe } from "./serve-process.ts";

/** A server of streams asks no upstream. */
const NOBODY = "http://127.0.0.1:9/v1";

type AtServer = Pick<StartedGateway, "url">;

interface Answer {
  readonly id: string;
  readonly do: readonly { readonly do: string; readonly id?: string; readonly items?: readonly object[] }[];
  readonly wantsReply: boolean;
  readonly managed: readonly { readonly summary?: string; readonly durationMs: number }[];
  readonly status: object;
  readonly contents: readonly object[];
  readonly awaited?: string;
  readonly trace: readonly { readonly summary?: string; readonly durationMs: number }[];
}

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "precis-streams-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "precis.db");
}

const start = async (db: string, more: object = {}): Promise<StartedGateway> => {
  const running = await startGateway({ db, ...more });
  onTestFinished(() => running.close());
  return running;
};
const answered = async (response: Response): Promise<Answer> => {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text) as Answer;
};
const tell = async ({ url }: AtServer, id: string, what: string, body: object = {}) =>
  answered(await post(`${url}/v1/streams/${id}/${what}`, body));
const look = async ({ url }: AtServer, id: string): Promise<Answer> => {
  const seen = await answered(await fetch(`${url}/v1/streams/${id}`));
  // How long something took is no part of what a stream is.
  return { ...seen, trace: seen.trace.map((one) => ({ ...one, durationMs: 0 })) };
};
const open = async ({ url }: AtServer, options: object) =>
  answered(await post(`${url}/v1/streams`, { window: 2_048, tokensPerFrame: 10, ...options }));

const HOST = { summaries: "host", speak: { silence: 0.4 }, systemPrompt: "You watch a repair." };

/** Tells a stream something each time, at the servers in turns, and says what its model is asked. */
async function watch(servers: readonly AtServer[], id: string, minutes: number): Promise<void> {
  let request = 0;
  const next = (what: string, body: object) => tell(servers[request++ % servers.length]!, id, what, body);
  const withReplies = async (what: string, body: object): Promise<void> => {
    let answer = await next(what, body);
    for (let asked = 0; answer.wantsReply; asked++) {
      expect(asked).toBeLessThan(50);
      const { for: why } = answer.do.at(-1) as unknown as { readonly for: string };
      const isSummary = why === "stream-summary";
      answer = await next("replies", {
        ...(isSummary && { text: `The user fits a new chain; minute ${asked} of it is done.` }),
        ...(!isSummary && asked % 7 === 3 && { text: `Link ${request} is next.`, tokens: 9 }),
      });
    }
  };
  for (let minute = 0; minute < minutes; minute++) {
    await withReplies("frames", { count: 40, lengths: {}, length: 40 });
    await withReplies("ask", { text: `What comes after link ${minute}?`, tokens: 11 });
    await withReplies("turns", { role: "caption", text: `A bell rings, number ${minute}.` });
  }
}

describe.each([
  ["SQLite", async () => newFile()],
  ["PostgreSQL", async () => (await sharedPostgres()).database()],
])("%s", (_, database) => {
  it("kill -9 and a restart lose nothing of a stream, in the middle of an answer either", async () => {
    const db = await database();
    const serve = () => startServe(["--upstream", NOBODY], { db });
    const first = await serve();
    const { id } = await open(first, HOST);
    await watch([first], id, 8);
    const asked = await tell(first, id, "compact");
    expect(asked.wantsReply).toBe(true);
    const before = await look(first, id);
    expect(before.trace.length).toBeGreaterThan(1);
    await first.stop("SIGKILL");

    const second = await serve();
    onTestFinished(() => second.stop());
    expect(await look(second, id)).toEqual(before);
    expect(before.awaited).toBe(asked.do.at(-1)!.id);
    const managed = await tell(second, id, "replies", { text: "The chain is half fitted, link by link." });
    expect(managed.managed[0]?.summary).toContain("half fitted");
    await watch([second], id, 2);
  });

  it("two servers of one store take turns with a stream, and know the same of it", async () => {
    const db = await database();
    const [one, two, alone] = [await start(db), await start(db), await start(newFile())];
    const { id } = await open(one, HOST);
    await watch([one, two, two], id, 3);
    const { id: other } = await open(alone, HOST);
    await watch([alone], other, 3);
    const [here, there, same] = [await look(one, id), await look(two, id), await look(alone, other)];
    expect(here).toEqual(there);
    expect({ ...here, id: "" }).toEqual({ ...same, id: "" });
    // What one server ends is gone at the other, for readers too.
    await fetch(`${two.url}/v1/streams/${id}`, { method: "DELETE" });
    for (const path of ["", "/events"])
      expect((await fetch(`${one.url}/v1/streams/${id}${path}`)).status).toBe(404);
    expect((await post(`${one.url}/v1/streams/${id}/frames`, {})).status).toBe(404);
    expect((await fetch(`${two.url}/v1/streams/${id}`)).status).toBe(404);
  });

  it("many requests at once are carried out one after the other, each once", async () => {
    const db = await database();
    const servers = [await start(db), await start(db)];
    const { id } = await open(servers[0]!, { strategy: "drop-all" });
    await Promise.all(
      Array.from({ length: 24 }, (_, at) => tell(servers[at % 2]!, id, "frames", { count: 2 })),
    );
    const seen = await Promise.all(servers.map((server) => look(server, id)));
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]!.status).toMatchObject({ frames: 48, steps: 24 });
  });
});

it("a host whose model took too long goes on, and so does the stream after a restart", async () => {
  const db = newFile();
  const first = await start(db);
  const { id } = await open(first, { ...HOST, deadlineMs: 100 });
  await tell(first, id, "turns", { role: "system", text: "Take the old chain off first." });
  expect((await tell(first, id, "compact")).wantsReply).toBe(true);
  await expect.poll(async () => (await look(first, id)).awaited).toBeUndefined();
  // The late reply isn't waited for any more, and the next answer says what was done without it.
  expect((await post(`${first.url}/v1/streams/${id}/replies`, { text: "Late." })).status).toBe(409);
  const next = await tell(first, id, "frames", { count: 1 });
  expect(next.managed).toHaveLength(1);
  expect(next.do.map((one) => one.do)).toContain("reset");
  if (next.wantsReply) await tell(first, id, "replies");
  const before = await look(first, id);
  await first.close();
  expect(await look(await start(db), id)).toEqual(before);
});

it("a store that fails doesn't stop a stream, and gets what it missed", async () => {
  const db = newFile();
  const first = await start(db);
  const { id } = await open(first, { strategy: "drop-all" });
  const { streams } = first.gateway.store;
  const add = streams.add.bind(streams);
  streams.add = () => Promise.reject(new Error("the disk is full"));
  for (let count = 0; count < 3; count++) await tell(first, id, "frames", { count: 5 });
  streams.add = add;
  await tell(first, id, "frames", { count: 5 });
  const before = await look(first, id);
  expect(before.status).toMatchObject({ frames: 20 });
  await first.close();
  expect(await look(await start(db), id)).toEqual(before);
});

it("one tenant's streams are nobody else's, and nothing is written down without a store", async () => {
  const db = newFile();
  const keys = [
    { name: "a", key: "key-of-tenant-a-0123456789", tenant: "a" },
    { name: "b", key: "key-of-tenant-b-0123456789", tenant: "b" },
  ];
  const first = await start(db, { auth: { mode: "keys", keys } });
  const of = (name: string) => ({ authorization: `Bearer key-of-tenant-${name}-0123456789` });
  const opened = await post(`${first.url}/v1/streams`, { window: 2_048 }, of("a"));
  const { id } = (await opened.json()) as Answer;
  await first.close();
  const second = await start(db, { auth: { mode: "keys", keys } });
  const status = async (name: string) =>
    (await fetch(`${second.url}/v1/streams/${id}`, { headers: of(name) })).status;
  expect([await status("b"), await status("a")]).toEqual([404, 200]);

  const file = newFile();
  const unstored = await start(file, { store: false });
  const { id: lost } = await open(unstored, {});
  await unstored.close();
  expect((await fetch(`${(await start(file)).url}/v1/streams/${lost}`)).status).toBe(404);
});
