/** Models that a person adds on the page: they answer, survive a restart, and their keys are nowhere but in one file. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { routes } from "../../src/gateway/api.ts";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { apiOf } from "./api-support.ts";
import { type ServeHere, serveHere } from "./serve-here.ts";
import { type ServeProcess, startServe } from "./serve-process.ts";

const KEY = "sk-page-0123456789abcdef";
let folder: string;
let provider: FakeProvider;
let serve: ServeHere | ServeProcess;
const { call, raw, events } = apiOf(() => serve.url);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "precis-models-"));
  provider = await startFakeProvider({ models: ["gpt-4o"], reply: () => "Here I am." });
});
afterEach(async () => {
  await serve.stop();
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

it("a model is tested, added, asked, kept over a restart and removed; its key stays in a file of its own", async () => {
  const db = join(folder, "chats.db");
  serve = await startServe([], { db });
  expect((await call(routes.status)).hasUpstream).toBe(false);
  const body = { baseURL: provider.url, apiKey: KEY };
  expect(await call(routes.testUpstream, { body })).toEqual({ ok: true, models: ["gpt-4o"] });
  const wrong = await call(routes.testUpstream, { body: { baseURL: "http://127.0.0.1:9/v1" } });
  expect(wrong).toMatchObject({ ok: false, fix: "Check its address and that it is running." });
  // One advice, not two.
  expect(wrong).toMatchObject({ message: expect.not.stringContaining("Check") });
  const added = await call(routes.addUpstream, { body });
  expect(added).toMatchObject({ hasUpstream: true, upstreams: [{ isOwn: true, keys: "server" }] });
  const { id } = await call(routes.createConversation, { body: { model: "gpt-4o" } });
  const said = await events(routes.chat, { params: { id }, body: { text: "Are you there?" } });
  expect(said.at(-1)?.type).toBe("done");
  expect((await stat(`${db}.models.json`)).mode & 0o777).toBe(0o600);
  expect(await readFile(`${db}.models.json`, "utf8")).toContain(KEY);

  await serve.stop();
  const log = serve.log();
  serve = await serveHere([], { db });
  const [kept] = (await call(routes.status)).upstreams;
  expect(kept?.isOwn).toBe(true);
  const answers = [
    await (await raw(routes.status)).text(),
    await (await raw(routes.settings)).text(),
    await (await raw(routes.exportConversation, { params: { id } })).text(),
    log,
    serve.log(),
  ];
  for (const name of await readdir(folder))
    if (!name.endsWith(".models.json")) answers.push(await readFile(join(folder, name), "latin1"));
  for (const text of answers) expect(text).not.toContain(KEY);

  await call(routes.removeUpstream, { params: { name: kept!.name } });
  expect((await call(routes.status)).hasUpstream).toBe(false);
  expect(await readFile(`${db}.models.json`, "utf8")).not.toContain(KEY);
});

it("where nothing is stored a key is in memory only; a shared server takes no models from its page", async () => {
  serve = await serveHere(["--no-store"], { db: join(folder, "none.db") });
  await call(routes.addUpstream, { body: { baseURL: provider.url, apiKey: KEY } });
  expect((await call(routes.status)).hasUpstream).toBe(true);
  for (const name of await readdir(folder))
    expect(await readFile(join(folder, name), "latin1")).not.toContain(KEY);
  await serve.stop();
  serve = await serveHere([], {
    db: join(folder, "shared.db"),
    env: { PRECIS_CLIENT_KEYS: "laptop:a-client-key-of-enough-length" },
  });
  const refused = await fetch(`${serve.url}/api/upstreams`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-precis-key": "a-client-key-of-enough-length" },
    body: JSON.stringify({ baseURL: provider.url }),
  });
  expect(refused.status).toBe(403);
});

it("the same address isn't added twice, whatever its last slash or letters", async () => {
  serve = await serveHere([], { db: "memory" });
  const { upstreams } = await call(routes.addUpstream, { body: { baseURL: provider.url } });
  const again = await raw(routes.addUpstream, {
    body: { baseURL: `${provider.url.replace("http:", "HTTP:")}/`, apiKey: KEY },
  });
  expect(again.status).toBe(409);
  const { error } = (await again.json()) as { error: { message: string; fix: string } };
  expect(error.message).toContain(upstreams[0]!.name);
  expect(error.fix).toContain("Remove");
  expect((await call(routes.status)).upstreams).toHaveLength(1);
});

it("a server that lists nothing gets only models that no other lists, and adding it says so", async () => {
  serve = await serveHere([], { db: "memory" });
  await call(routes.addUpstream, { body: { baseURL: provider.url, name: "good" } });
  const added = await call(routes.addUpstream, { body: { baseURL: "http://127.0.0.1:9/v1", name: "dead" } });
  expect(added.warning).toMatch(/^dead was added, but .*can't be listed.*Check its address/);
  const chat = async (model: string) => {
    const { id } = await call(routes.createConversation, { body: { model } });
    return (await events(routes.chat, { params: { id }, body: { text: "Who is there?" } })).at(-1);
  };
  expect(await chat("gpt-4o")).toMatchObject({ type: "done" });
  expect(await chat("somebody-elses")).toMatchObject({ type: "failed" });
});

it("a server that lists nothing doesn't take the models of a server of the config", async () => {
  serve = await serveHere(["--upstream", provider.url], { db: "memory" });
  await call(routes.addUpstream, { body: { baseURL: "http://127.0.0.1:9/v1", name: "dead" } });
  const ask = (model: string) =>
    fetch(`${serve.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Who is there?" }] }),
    });
  expect((await ask("not-asked-yet")).status).toBe(200);
  await call(routes.models);
  expect((await ask("gpt-4o")).status).toBe(200);
  expect((await ask("somebody-elses")).status).toBe(502);
});

it("an upstream without a key says that it wants one, and takes it from the header that names it, no other does", async () => {
  const wanting = await startFakeProvider({ models: ["gpt-5"], apiKey: KEY, reply: () => "With a key." });
  const config = join(folder, "precis.config.json");
  const upstreams = [
    { name: "plain", baseURL: `${provider.url}/v1`, models: ["gpt-4o"] },
    { name: "wanting", baseURL: `${wanting.url}/v1`, models: ["gpt-5"] },
  ];
  await writeFile(config, JSON.stringify({ upstreams }));
  serve = await serveHere(["--config", config]);
  try {
    const before = await call(routes.models);
    expect(before.models.map(({ id }) => id)).toEqual(["gpt-4o"]);
    expect(before.problems).toMatchObject([{ upstream: "wanting", wantsKey: true }]);
    const headers = { "x-precis-upstream-keys": String(new URLSearchParams({ wanting: KEY })) };
    const after = await call(routes.models, { headers });
    expect(after).toMatchObject({ models: [{ id: "gpt-4o" }, { id: "gpt-5" }], problems: [] });
    for (const model of ["gpt-4o", "gpt-5"]) {
      const { id } = await call(routes.createConversation, { body: { model } });
      const said = await events(routes.chat, { params: { id }, body: { text: "Are you there?" }, headers });
      expect(said.at(-1)?.type).toBe("done");
    }
    expect(JSON.stringify(provider.requests)).not.toContain(KEY);
    expect(wanting.requests.length).toBeGreaterThan(0);
  } finally {
    await wanting.close();
  }
});
