/** One record per request: what failed says why, what was paid beside requests has its own, and nothing is lost by a restart. */
import { afterEach, expect, it } from "vitest";
import {
  type ApiMessages,
  type RequestFact,
  type RequestQuery,
  type RequestRecord,
  routes,
  urlOf,
} from "../../src/gateway/api.ts";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { scratchFolder } from "../cli/run-cli.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post, startUpstream } from "./own-upstream.ts";
import { serveHere } from "./serve-here.ts";
import { startServe } from "./serve-process.ts";
import { totalsOf } from "./totals-of.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function requests(url: string, query: RequestQuery = {}): Promise<readonly RequestFact[]> {
  const response = await fetch(url + urlOf(routes.requests, {}, query));
  return ((await response.json()) as { requests: RequestFact[] }).requests;
}

const chat = (model: string, ...texts: readonly string[]) => ({
  model,
  messages: texts.map((content, n) => ({ role: n % 2 === 0 ? "user" : "assistant", content })),
});

it("a request that failed says why, whoever refused it", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o"] });
  closing.push(() => provider.close());
  const serve = await serveHere(["--upstream", provider.url]);
  closing.push(() => serve.stop());
  const url = `${serve.url}/v1/chat/completions`;
  await (await post(url, chat("gpt-4o", "a", "b"))).text();
  const wrong = { model: "gpt-4o", messages: [{ role: "nobody", content: "hi" }] };
  const refused = await post(url, wrong);
  expect(refused.status).toBe(400);
  await (
    await post(url, chat("gpt-4o", "Every word counts. ".repeat(300)), { "x-precis-budget": "200" })
  ).text();
  await (
    await fetch(url, { method: "POST", body: "{no json", headers: { "content-type": "application/json" } })
  ).text();
  const failed = await requests(serve.url, { outcome: "failed" });
  expect(failed.map(({ status }) => status)).toEqual([400, 400, 400]);
  for (const { error } of failed) expect(error).toMatch(/\w+ \w+/);
  // What the provider said, in its words.
  expect(failed[2]?.error).toContain("nobody");
  expect(failed[0]?.error).toMatch(/JSON/);
  for (const one of failed) expect((await record(serve.url, one.id)).body.error).toBe(one.error);
  expect(await totalsOf(serve.url)).toMatchObject({ requests: 4, errors: 3, models: ["gpt-4o"] });
});

it("a request that failed is there after a kill half a second later", async () => {
  const upstream = await startUpstream((_, __, response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: "Not like this." } }));
  });
  closing.push(() => upstream.close());
  const folder = scratchFolder();
  closing.push(folder.remove);
  const options = { db: folder.path("killed.db") };
  const flags = ["--upstream", upstream.url];
  const first = await startServe(flags, options);
  // Nothing of it is stored but that it came and failed.
  await (await post(`${first.url}/v1/chat/completions`, { model: "gpt-4o", messages: "none" })).text();
  await new Promise((resolve) => setTimeout(resolve, 500));
  await first.stop("SIGKILL");
  const second = await serveHere(flags, options);
  closing.push(() => second.stop());
  expect(await requests(second.url)).toMatchObject([{ status: 400 }]);
});

it("totals, by model and by time, are the same after a restart", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o", "gpt-4o-mini"] });
  closing.push(() => provider.close());
  const folder = scratchFolder();
  closing.push(folder.remove);
  const options = { db: folder.path("records.db") };
  const flags = ["--upstream", provider.url];
  const first = await serveHere(flags, options);
  for (const model of ["gpt-4o", "gpt-4o-mini", "gpt-4o"])
    await (await post(`${first.url}/v1/chat/completions`, chat(model, `to ${model}`))).text();
  const before = await totalsOf(first.url);
  expect(before).toMatchObject({ requests: 3, models: ["gpt-4o", "gpt-4o-mini"] });
  expect(before.input).toBeGreaterThan(0);
  expect(before.spend).toBeGreaterThan(0);
  await first.stop();
  const second = await serveHere(flags, options);
  closing.push(() => second.stop());
  const { storeBytes: _, ...rest } = before;
  expect(await totalsOf(second.url)).toMatchObject(rest);
  expect(await totalsOf(second.url, { model: "gpt-4o" })).toMatchObject({ requests: 2 });
  const [newest, middle] = await requests(second.url);
  expect(await totalsOf(second.url, { since: newest!.at })).toMatchObject({ requests: 1 });
  expect(await requests(second.url, { until: newest!.at })).toHaveLength(2);
  expect(await requests(second.url, { before: middle!.id })).toHaveLength(1);
});

it("the list is sorted by tokens, spend or time, either way, and totals say how long requests take", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o", "gpt-4o-mini"] });
  closing.push(() => provider.close());
  const serve = await serveHere(["--upstream", provider.url]);
  closing.push(() => serve.stop());
  const url = `${serve.url}/v1/chat/completions`;
  for (const [model, words] of [
    ["gpt-4o", 300],
    ["gpt-4o-mini", 900],
    ["gpt-4o", 30],
  ] as const)
    await (await post(url, chat(model, "word ".repeat(words)))).text();
  const sizes = async (query: RequestQuery) =>
    (await requests(serve.url, query)).map(({ tokens, usage }) => tokens?.after ?? usage?.input ?? 0);
  const down = await sizes({ sort: "tokens" });
  expect(down).toEqual(down.toSorted((a, b) => b - a));
  expect(await sizes({ sort: "tokens", order: "asc" })).toEqual(down.toReversed());
  const [dearest] = await requests(serve.url, { sort: "spend", limit: 1 });
  expect(dearest?.model).toBe("gpt-4o");
  const times = (await requests(serve.url, { sort: "ms" })).map(({ ms }) => ms);
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  const [slowest, , fastest] = times;
  const { ms, p50, p95, parts = [] } = await totalsOf(serve.url, { by: "model" });
  for (const one of [ms, p50, p95]) {
    expect(one).toBeGreaterThanOrEqual(fastest!);
    expect(one).toBeLessThanOrEqual(slowest!);
  }
  expect(p95).toBeGreaterThanOrEqual(p50);
  expect(parts.map(({ name, p95 }) => [name, p95 > 0])).toEqual([
    ["gpt-4o", true],
    ["gpt-4o-mini", true],
  ]);
});

it("whom nobody knows, and floods, are counted by reason, without a row each; nobody sees what others asked", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o"] });
  closing.push(() => provider.close());
  const limits = { requestsPerMinute: 3 };
  const named = ["a", "b"].map((name) => ({ name, key: `key-of-tenant-${name}-0001`, tenant: name, limits }));
  // Who looks at it has a key of its own, without a limit.
  const looking = named.map(({ tenant }) => ({ name: "look", key: `looking-at-${tenant}-0001`, tenant }));
  const keys = [...named, ...looking];
  const gateway = await startGateway({ ...upstreamAt(provider.url), auth: { mode: "keys", keys } });
  closing.push(() => gateway.close());
  const url = `${gateway.url}/v1/chat/completions`;
  const [a, , seesA, seesB] = keys.map(({ key }) => ({ authorization: `Bearer ${key}` }));
  const nobody = await post(url, chat("gpt-4o", "hi"), { authorization: "Bearer of-nobody" });
  expect(nobody.status).toBe(401);
  for (let n = 0; n < 5; n++) await (await post(url, chat("gpt-4o", `hi ${n}`), a)).text();
  expect(await totalsOf(gateway.url, {}, seesA)).toMatchObject({
    requests: 3,
    errors: 0,
    refused: { "rate-limited": 2 },
    clients: ["a"],
  });
  expect(await totalsOf(gateway.url, {}, seesB)).toMatchObject({ requests: 0, refused: {}, clients: [] });
  const list = async (headers: object) =>
    (
      (await (await fetch(`${gateway.url}/api/requests`, { headers: { ...headers } })).json()) as {
        requests: RequestFact[];
      }
    ).requests;
  expect(await list(seesA!)).toHaveLength(3);
  expect(await list(seesB!)).toEqual([]);
});

/** A request by itself. */
async function record(
  url: string,
  id: string,
  headers = {},
): Promise<{ status: number; body: RequestRecord }> {
  const response = await fetch(url + urlOf(routes.requestRecord, { id }), { headers });
  return { status: response.status, body: (await response.json()) as RequestRecord };
}

it("what was sent is worked out again to the byte: as it came, compacted, and with settings that are others by now", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o"] });
  closing.push(() => provider.close());
  const serve = await serveHere(["--upstream", provider.url, "--window", "8k", "--no-summary-model"]);
  closing.push(() => serve.stop());
  const url = `${serve.url}/v1/chat/completions`;
  const system = { role: "system", content: "Be brief." };
  const long = "Every line of this paragraph is here to fill the window. ".repeat(30);
  for (const turns of [1, 30, 31]) {
    const messages = Array.from({ length: turns * 2 - 1 }, (_, n) => ({
      role: n % 2 === 0 ? "user" : "assistant",
      content: n % 2 === 0 ? `Question ${n}: ${long}` : `Answer ${n}.`,
    }));
    await (await post(url, { model: "gpt-4o", temperature: 0.5, messages: [system, ...messages] })).text();
  }
  const listed = (await requests(serve.url)).toReversed();
  expect(listed.map(({ outcome }) => outcome)).toEqual(["pass", "compacted", "view"]);
  const check = async () => {
    for (const [n, { id }] of listed.entries()) {
      const { body } = await record(serve.url, id);
      expect(body.sent.why).toBeUndefined();
      expect(body.sent).toMatchObject({ isExact: true, body: provider.requests[n]!.body });
      expect(body.answer).toMatchObject([{ role: "assistant" }]);
    }
  };
  await check();
  const settings = { method: "PATCH", headers: { "content-type": "application/json" } };
  await fetch(`${serve.url}/api/settings`, { ...settings, body: JSON.stringify({ budget: 3_000 }) });
  await check();
  const { body } = await record(serve.url, listed[1]!.id);
  expect(body.sent.changed).toMatchObject([{ name: "budget", now: 3_000 }]);
});

it("a question that was asked twice has two requests, each with its own answer, here and in the chat", async () => {
  let asked = 0;
  const upstream = await startUpstream((_, __, response) => {
    const message = { role: "assistant", content: `answer ${++asked}` };
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ id: `c${asked}`, choices: [{ index: 0, message, finish_reason: "stop" }] }),
    );
  });
  closing.push(() => upstream.close());
  const serve = await serveHere(["--upstream", upstream.url]);
  closing.push(() => serve.stop());
  const url = `${serve.url}/v1/chat/completions`;
  await (await post(url, chat("gpt-4o", "first"))).text();
  const again = chat("gpt-4o", "first", "answer 1", "second");
  for (const _ of [1, 2]) await (await post(url, again)).text();
  const listed = (await requests(serve.url)).toReversed();
  const answers = await Promise.all(listed.map(async ({ id }) => (await record(serve.url, id)).body.answer));
  expect(answers).toMatchObject([1, 2, 3].map((n) => [{ content: `answer ${n}` }]));
  const id = listed[0]!.conversation!;
  const shown = async () => {
    const response = await fetch(serve.url + urlOf(routes.messages, { id }, {}));
    return ((await response.json()) as ApiMessages).messages.at(-1)!;
  };
  const newest = await shown();
  expect(newest.request?.id).toBe(listed[2]!.id);
  const earlier = newest.branches?.find((hash) => hash !== newest.hash);
  await (await post(serve.url + urlOf(routes.showBranch, { id }), { message: earlier })).text();
  expect((await shown()).request?.id).toBe(listed[1]!.id);
});

it("what can't be exact says why, and a deleted chat leaves numbers alone", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o"] });
  closing.push(() => provider.close());
  const serve = await serveHere(["--upstream", provider.url]);
  closing.push(() => serve.stop());
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(chat("gpt-4o", "a secret word"), undefined, 2);
  await (await fetch(`${serve.url}/v1/chat/completions`, { method: "POST", headers, body })).text();
  const [one] = await requests(serve.url);
  const spaced = await record(serve.url, one!.id);
  expect(spaced.body.sent).toMatchObject({
    isExact: false,
    why: expect.stringMatching(/spaces/),
    body: JSON.parse(body),
  });
  await fetch(`${serve.url}/api/conversations/${one!.conversation}`, { method: "DELETE" });
  const after = await record(serve.url, one!.id);
  expect(after.body).toMatchObject({ status: 200, model: "gpt-4o", usage: one!.usage, answer: [] });
  expect(after.body.sent).toMatchObject({ isExact: false, changed: [] });
  expect(JSON.stringify(after.body)).not.toContain("secret");
  expect((await record(serve.url, "none")).status).toBe(404);
});

it("a request that was compacted by wishes of its own is shown as it was sent, too", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o"] });
  closing.push(() => provider.close());
  const serve = await serveHere(["--upstream", provider.url, "--no-summary-model"]);
  closing.push(() => serve.stop());
  const long = "Every line of this paragraph is here to fill the window. ".repeat(30);
  const texts = Array.from({ length: 61 }, (_, n) =>
    n % 2 === 0 ? `Question ${n}: ${long}` : `Answer ${n}.`,
  );
  for (const window of ["8000", "6000"])
    await (
      await post(`${serve.url}/v1/chat/completions`, chat("gpt-4o", ...texts), { "x-precis-window": window })
    ).text();
  const listed = (await requests(serve.url)).toReversed();
  expect(listed.map(({ outcome }) => outcome)).toEqual(["compacted", "compacted"]);
  for (const [n, { id }] of listed.entries())
    expect((await record(serve.url, id)).body.sent).toMatchObject({
      isExact: true,
      body: provider.requests[n]!.body,
    });
});

it("a request that failed stands on its own last message, and not on the answer that others got to it", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o"] });
  closing.push(() => provider.close());
  const serve = await serveHere(["--upstream", provider.url]);
  closing.push(() => serve.stop());
  const url = `${serve.url}/v1/chat/completions`;
  await (await post(url, chat("gpt-4o", "hi"))).text();
  await (await post(url, chat("gpt-4o", "hi", "OK.", "two"))).text();
  provider.failNext("unauthorized");
  await (await post(url, chat("gpt-4o", "hi", "OK.", "two"))).text();
  const [failed] = await requests(serve.url, { outcome: "failed" });
  const { body } = await record(serve.url, failed!.id);
  const { messages } = body.sent.body as { readonly messages: readonly object[] };
  expect(messages).toHaveLength(3);
  expect(messages.at(-1)).toEqual({ role: "user", content: "two" });
});

it("words of a summary that failed go with their chat, that of its first request included", async () => {
  const provider = await startFakeProvider({
    models: ["gpt-4o"],
    faults: ({ lastUser }) => (/summar/i.test(lastUser) ? "unauthorized" : undefined),
  });
  closing.push(() => provider.close());
  const serve = await serveHere(["--upstream", provider.url, "--window", "8k"]);
  closing.push(() => serve.stop());
  const long = "Every line of this paragraph is here to fill the window. ".repeat(30);
  const texts = Array.from({ length: 61 }, (_, n) =>
    n % 2 === 0 ? `Question ${n}: ${long}` : `Answer ${n}.`,
  );
  await (await post(`${serve.url}/v1/chat/completions`, chat("gpt-4o", ...texts))).text();
  const failed = async () =>
    await requests(serve.url, { from: "summary", outcome: "failed" } as RequestQuery);
  await expect.poll(async () => (await failed()).length, { timeout: 20_000 }).toBeGreaterThan(0);
  for (const { conversation, error } of await failed())
    if (conversation === undefined) expect(error).toBe("The summary failed.");
});

it("an upstream that says an error within a good answer has failed, in its own words", async () => {
  const error = { code: 503, message: "The model is overloaded." };
  const upstream = await startUpstream((_, body, response) => {
    if (!String(body).includes("stream")) return void response.end(JSON.stringify({ error }));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('data: {"choices":[{"index":0,"delta":{"content":"I beg"}}]}\n\n');
    response.end(`data: ${JSON.stringify({ error: { ...error, code: "overloaded" } })}\n\n`);
  });
  closing.push(() => upstream.close());
  const serve = await serveHere(["--upstream", upstream.url]);
  closing.push(() => serve.stop());
  const url = `${serve.url}/v1/chat/completions`;
  const streamed = await post(url, { ...chat("gpt-4o", "one"), stream: true });
  expect(streamed.status).toBe(200);
  expect(await streamed.text()).toContain("overloaded");
  await (await post(url, chat("gpt-4o", "two"))).text();
  expect(await requests(serve.url, { outcome: "failed" })).toMatchObject([
    { status: 503, error: "The model is overloaded." },
    { status: 502, error: "The model is overloaded." },
  ]);
  expect(await totalsOf(serve.url)).toMatchObject({ requests: 2, errors: 2 });
});

it("totals are those of what is searched for, or of one conversation, and wrong words are named with the right ones", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o", "gpt-4o-mini"] });
  closing.push(() => provider.close());
  const serve = await serveHere(["--upstream", provider.url]);
  closing.push(() => serve.stop());
  for (const model of ["gpt-4o", "gpt-4o-mini", "gpt-4o-mini"])
    await (await post(`${serve.url}/v1/chat/completions`, chat(model, `to ${model}`))).text();
  const [newest] = await requests(serve.url);
  expect(await totalsOf(serve.url, { search: "mini" })).toMatchObject({ requests: 2 });
  expect(await totalsOf(serve.url, { conversation: newest!.conversation! })).toMatchObject({ requests: 1 });
  expect(await totalsOf(serve.url, { search: newest!.conversation! })).toMatchObject({ requests: 1 });
  expect(await totalsOf(serve.url, { conversation: "none" })).toMatchObject({ requests: 0 });
  for (const wrong of ["requests?outcome=broken", "requests?from=nobody", "totals?outcome=broken"]) {
    const response = await fetch(`${serve.url}/api/${wrong}`);
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/failed|client/);
  }
});

it("an answer that can't be read failed, and a refusal and an empty one are marked", async () => {
  const choice = (message: object) =>
    JSON.stringify({ choices: [{ message: { role: "assistant", ...message }, finish_reason: "stop" }] });
  const answers = [
    choice({ content: "Hello." }),
    '{"choices": [{"mess',
    choice({ content: null, refusal: "I won't." }),
    choice({ content: "" }),
  ];
  const upstream = await startUpstream((_, __, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(answers[upstream.seen.length - 1]);
  });
  closing.push(() => upstream.close());
  const gateway = await startGateway(upstreamAt(upstream.url));
  closing.push(() => gateway.close());
  for (const text of answers) {
    const answer = await post(`${gateway.url}/v1/chat/completions`, chat("gpt-4o", "hi"));
    expect(await answer.text()).toBe(text);
  }
  const [empty, refused, broken, good] = await requests(gateway.url);
  expect(good).toMatchObject({ status: 200 });
  expect(good).not.toHaveProperty("error");
  expect(broken).toMatchObject({ status: 502, error: expect.stringMatching(/can't be read/) });
  expect(refused).toMatchObject({ status: 200, error: expect.stringMatching(/refused/) });
  expect(empty).toMatchObject({ status: 200, error: expect.stringMatching(/empty/) });
  expect(await totalsOf(gateway.url)).toMatchObject({ requests: 4, errors: 1 });
  expect(await requests(gateway.url, { search: "can't be read" })).toHaveLength(1);
});
