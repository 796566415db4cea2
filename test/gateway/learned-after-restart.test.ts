/** What was learned of models outlives the process, and servers of one store share it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore, type ServerStore } from "../../src/stores/server.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { type StartedGateway, startGateway } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";
import { startServe } from "./serve-process.ts";

/** What each model really has; nobody knows either of them. */
const WINDOWS: Readonly<Record<string, number>> = { small: 6_000, large: 60_000 };
const BYTES_PER_TOKEN = 4;
const SECRET = "sk-never-to-be-stored";

const messages = Array.from({ length: 81 }, (_, n) => ({
  role: n % 2 === 0 ? "user" : "assistant",
  content: `${n}: ${"please say more. ".repeat(60)}`,
}));

const otherMessages = messages.map((one, n) => (n === 0 ? { ...one, content: "Another." } : one));

/** An upstream whose models refuse what is too long, and name their window. */
const refusing = (windows = WINDOWS, told: readonly object[] = []) =>
  startUpstream((request, body, response) => {
    if (request.url !== "/v1/chat/completions") {
      response.writeHead(request.url === "/v1/models" ? 200 : 404, { "content-type": "application/json" });
      return void response.end(JSON.stringify({ data: told }));
    }
    const { model } = JSON.parse(body.toString()) as { model: string };
    const tokens = Math.ceil(body.length / BYTES_PER_TOKEN);
    const window = windows[model]!;
    const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens.`;
    const error = { message, type: "invalid_request_error", code: "context_length_exceeded" };
    const answer = { id: "fine", choices: [{ index: 0, message: { role: "assistant", content: "Yes." } }] };
    response.writeHead(tokens > window ? 400 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(tokens > window ? { error } : answer));
  });

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "precis-learned-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "precis.db");
}

function database(): () => ServerStore {
  const file = newFile();
  return () => openStore(file);
}

const start = (there: OwnUpstream, store: ServerStore, config: object = {}, upstream: object = {}) =>
  startGateway(
    {
      upstreams: [{ name: "there", baseURL: `${there.url}/v1`, apiKey: SECRET, ...upstream }],
      window: 100_000,
      summarizer: "extractive",
      ...config,
    },
    { store },
  );

const windowOf = ({ gateway }: StartedGateway, model: string) =>
  gateway.windows.of(gateway.upstreams[0], model, "default");

/** Asks, and says how long the bodies were that the upstream got for it. */
async function asked(there: OwnUpstream, url: string, body: object): Promise<readonly number[]> {
  const before = there.seen.length;
  expect((await post(`${url}/v1/chat/completions`, body)).status).toBe(200);
  const sent = there.seen.slice(before).filter(({ request }) => request.url === "/v1/chat/completions");
  return sent.map((one) => one.body.length);
}

it.each([
  ["of the model", {}, { windows: { small: "60k" } }],
  ["of all models", { window: 60_000 }, {}],
])(
  "a window %s that the config states since is tried in place of a learned one",
  async (_, config, upstream) => {
    const open = database();
    const windows = { ...WINDOWS };
    const there = await refusing(windows);
    onTestFinished(() => void there.close());
    const first = await start(there, open());
    expect(await asked(there, first.url, { model: "small", messages })).toHaveLength(2);
    await first.close();

    windows["small"] = 60_000;
    const whole = JSON.stringify({ model: "small", messages }).length;
    const larger = await start(there, open(), config, upstream);
    expect(await asked(there, larger.url, { model: "small", messages })).toEqual([whole]);
    await larger.close();

    // It is as small as before: that is learned anew, and holds beside the same config.
    windows["small"] = 6_000;
    const other = messages.map((one, n) => (n === 0 ? { ...one, content: `Another. ${one.content}` } : one));
    const wrong = await start(there, open(), config, upstream);
    expect(await asked(there, wrong.url, { model: "small", messages: other })).toHaveLength(2);
    await wrong.close();
    const again = await start(there, open(), config, upstream);
    expect(await asked(there, again.url, { model: "small", messages: other })).toHaveLength(1);
    await again.close();
  },
);

it("a window that a refusal named holds after a restart, for this model alone", async () => {
  const open = database();
  const there = await refusing();
  onTestFinished(() => void there.close());
  const first = await start(there, open());
  expect(await asked(there, first.url, { model: "small", messages })).toHaveLength(2);
  // The same conversation, to a model that has room for all of it.
  const whole = JSON.stringify({ model: "large", messages }).length;
  expect(await asked(there, first.url, { model: "large", messages })).toEqual([whole]);
  await first.close();

  const again = await start(there, open());
  const longer = [...messages, { role: "assistant", content: "Yes." }, { role: "user", content: "And?" }];
  expect(await asked(there, again.url, { model: "small", messages: longer })).toHaveLength(1);
  const other = longer.map((one, n) => (n === 0 ? { ...one, content: `Another. ${one.content}` } : one));
  expect(await asked(there, again.url, { model: "small", messages: other })).toHaveLength(1);
  expect(await asked(there, again.url, { model: "large", messages: longer })).toEqual([
    JSON.stringify({ model: "large", messages: longer }).length,
  ]);
  await again.close();

  const store = open();
  const rows = await store.learned.list();
  expect(rows.filter(({ kind }) => kind === "window")).toMatchObject([
    { model: "small", tenant: "default", value: { window: WINDOWS["small"] } },
  ]);
  for (const word of [SECRET, "127.0.0.1", new URL(there.url).port])
    expect(JSON.stringify(rows.map(({ at: _, ...row }) => row))).not.toContain(word);
  await store.close();
});

it.each([
  ["refused with", 5_000, [], {}],
  ["reported", 50_000, [{ id: "tiny", max_model_len: 5_000 }], { window: undefined }],
])(
  "a small server that has a larger window after a restart than it %s tells it, and that counts",
  async (_, window, reported, config) => {
    const open = database();
    const told: object[] = [...reported];
    const windows = { tiny: window };
    const there = await refusing(windows, told);
    onTestFinished(() => void there.close());
    const first = await start(there, open(), config);
    await asked(there, first.url, { model: "tiny", messages });
    expect(windowOf(first, "tiny")).toMatchObject({ window: 5_000, from: "upstream" });
    await first.close();
    windows.tiny = 90_000;
    told.splice(0, 1, { id: "tiny", max_model_len: windows.tiny });
    const again = await start(there, open(), config);
    onTestFinished(() => again.close());
    // Until it is asked.
    expect(windowOf(again, "tiny")).toMatchObject({ window: 5_000, from: "upstream" });
    const whole = JSON.stringify({ model: "tiny", messages: otherMessages }).length;
    expect(await asked(there, again.url, { model: "tiny", messages: otherMessages })).toEqual([whole]);
  },
);

describe.each([
  ["SQLite", async () => newFile()],
  ["PostgreSQL", async () => (await sharedPostgres()).database()],
])("%s", (_, database) => {
  it("a window that was learned just before kill -9 is known", async () => {
    const db = await database();
    const there = await refusing();
    onTestFinished(() => void there.close());
    const serve = () =>
      startServe(["--upstream", there.url, "--window", "100k", "--no-summary-model"], { db });
    const first = await serve();
    expect(await asked(there, first.url, { model: "small", messages })).toHaveLength(2);
    await first.stop("SIGKILL");
    const second = await serve();
    onTestFinished(() => second.stop());
    expect(await asked(there, second.url, { model: "small", messages: otherMessages })).toHaveLength(1);
  });

  it("a server that learns nothing itself hears what another one learned", async () => {
    const db = await database();
    const there = await refusing();
    onTestFinished(() => void there.close());
    const [one, two] = [await start(there, openStore(db)), await start(there, openStore(db))];
    onTestFinished(async () => {
      await one.close();
      await two.close();
    });
    await asked(there, one.url, { model: "small", messages });
    one.gateway.windows
      .calibration(one.gateway.upstreams[0], "small", "default")
      .observe({ model: "small", counted: 10_000, reported: 14_000 });
    const known = (server: StartedGateway) => [
      windowOf(server, "small").window,
      server.gateway.windows.factor(server.gateway.upstreams[0], "small", "default"),
    ];
    expect(known(two)).not.toEqual(known(one));
    await expect.poll(() => known(two)).toEqual([WINDOWS["small"], 1.4]);
    expect(await asked(there, two.url, { model: "small", messages: otherMessages })).toHaveLength(1);
  });
});

it("cache times and how a model counts are known after a restart", { timeout: 120_000 }, async () => {
  const open = database();
  const clock = createFakeClock(Date.now());
  const provider = await startFakeProvider({ window: 400_000, now: clock.now, cache: { ttlMs: 3_600_000 } });
  onTestFinished(() => provider.close());
  const begin = () =>
    startGateway(
      { upstreams: [{ name: "fake", baseURL: provider.url }], window: 200_000, summarizer: "extractive" },
      { now: clock.now, store: open() },
    );
  const first = await begin();
  const said: { role: string; content: string }[] = [
    { role: "user", content: `Question. ${"Some words about nothing in particular. ".repeat(800)}` },
  ];
  for (let n = 0; n < 32; n++) {
    const response = await post(`${first.url}/v1/chat/completions`, { model: "gpt-4o", messages: said });
    const { choices } = (await response.json()) as { choices: { message: (typeof said)[0] }[] };
    said.push(choices[0]!.message, { role: "user", content: `And ${n}?` });
    clock.advance(10_000 * 1.6 ** (n % 16));
  }
  const known = ({ gateway }: typeof first) => {
    const [upstream] = gateway.upstreams;
    return [
      gateway.requests.cacheMs("fake", "gpt-4o"),
      gateway.windows.factor(upstream, "gpt-4o", "default"),
    ];
  };
  const counted = { model: "gpt-4o", counted: 10_000, reported: 14_000 };
  first.gateway.windows.calibration(first.gateway.upstreams[0], "gpt-4o", "default").observe(counted);
  const before = known(first);
  expect(before[0]).toBeGreaterThan(0);
  expect(before[1]).toBeGreaterThan(1);
  await first.close();
  const again = await begin();
  expect(known(again)).toEqual(before);
  await again.close();
});
