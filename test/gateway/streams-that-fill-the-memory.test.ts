/** What hosts of live streams tell is bounded in size, and not only in number. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/stores/server.ts";
import type { ServerStore } from "../../src/stores/server-store.ts";
import { type StartedGateway, startGateway } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

const KB = 1024;

interface Answer {
  readonly id: string;
  readonly status: { readonly tokens: number; readonly pending: number };
  readonly contents: readonly { readonly text?: string }[];
  readonly error: { readonly code: string; readonly message: string };
}

async function start(store?: ServerStore): Promise<StartedGateway> {
  const running = await startGateway({}, store ? { store } : {});
  onTestFinished(() => running.close());
  return running;
}

async function open({ url }: StartedGateway, more: object = {}): Promise<Answer> {
  const opened = await post(`${url}/v1/streams`, { window: 4_096, strategy: "drop-all", ...more });
  return (await opened.json()) as Answer;
}

it("what a stream is told at once has a limit that says what to do", async () => {
  const gateway = await start();
  const tooLong = await open(gateway, { systemPrompt: "x".repeat(1_100 * KB) });
  expect(tooLong.error.message).toContain("1048576 bytes");
  expect(tooLong.error.message).toContain("Shorten system prompt and knowledge");
  const { id } = await open(gateway);
  const told = `${gateway.url}/v1/streams/${id}/turns`;
  const turn = { role: "user", text: "x".repeat(300 * KB) };
  const packed = gzipSync(JSON.stringify(turn));
  for (const refused of [
    await post(told, turn),
    await fetch(told, { method: "POST", body: packed, headers: { "content-encoding": "gzip" } }),
  ]) {
    expect(refused.status).toBe(413);
    const { error } = (await refused.json()) as Answer;
    expect(error.message).toContain("262144 bytes");
    expect(error.message).toContain("in several requests");
  }
  expect((await post(told, { ...turn, text: "x".repeat(200 * KB) })).status).toBe(200);
});

it("a host that says its texts take no tokens doesn't fill the memory", async () => {
  const gateway = await start();
  const { id } = await open(gateway);
  const text = "All work and no play makes Jack a dull boy. ".repeat(2_000);
  for (let turn = 0; turn < 30; turn++) {
    const body = { text: `${turn} ${text}`, tokens: 0 };
    expect((await post(`${gateway.url}/v1/streams/${id}/ask`, body)).status).toBe(200);
  }
  const { status, contents } = (await (await fetch(`${gateway.url}/v1/streams/${id}`)).json()) as Answer;
  expect(status.tokens + status.pending).toBeLessThanOrEqual(4_096);
  expect(contents.reduce((sum, one) => sum + (one.text?.length ?? 0), 0)).toBeLessThan(64 * KB);
});

it("open streams give way when their windows are too large together, and not only when there are many", async () => {
  const gateway = await start();
  const isThere = async ({ id }: Answer) => (await fetch(`${gateway.url}/v1/streams/${id}`)).ok;
  const large = { window: 2 ** 23 };
  const first = await open(gateway, large);
  const small = await open(gateway);
  await open(gateway, large);
  expect([await isThere(first), await isThere(small)]).toEqual([false, true]);
  const refused = await open(gateway, { window: 2 ** 25 });
  expect(refused.error.message).toMatch(/`window`.*1 to 16777216/);
});

it("many who ask for a stream at once don't each read all of it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "precis-streams-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const db = join(folder, "precis.db");
  const first = await startGateway({ db });
  const { id } = await open(first);
  const lines = 350;
  for (let turn = 1; turn < lines; turn++) await post(`${first.url}/v1/streams/${id}/frames`, { count: 2 });
  const before = (await (await fetch(`${first.url}/v1/streams/${id}`)).json()) as Answer;
  await first.close();

  const store = openStore(db);
  let read = 0;
  const counting: ServerStore = {
    ...store,
    streams: {
      ...store.streams,
      async read(...of) {
        const found = await store.streams.read(...of);
        read += found.length;
        return found;
      },
    },
  };
  const second = await start(counting);
  const asked = Array.from({ length: 30 }, async () => {
    const { status } = (await (await fetch(`${second.url}/v1/streams/${id}`)).json()) as Answer;
    return status;
  });
  for (const status of await Promise.all(asked)) expect(status).toEqual(before.status);
  expect(read).toBeLessThan(2 * lines);
});
