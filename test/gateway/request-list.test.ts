/** An operator's list of requests forgets nothing: not with a restart, not with another worker, and it knows who asked. */
import { afterEach, expect, it } from "vitest";
import {
  type ApiConversation,
  type RequestFact,
  type RequestQuery,
  type RequestRecord,
  routes,
  urlOf,
} from "../../src/gateway/api.ts";
import { startFakeProvider, summarizingReply } from "../../src/testing/fake-provider/index.ts";
import { scratchFolder } from "../cli/run-cli.ts";
import { post } from "./own-upstream.ts";
import { serveHere } from "./serve-here.ts";
import { startServe } from "./serve-process.ts";
import { totalsOf } from "./totals-of.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

// A new connection each time: workers take turns.
const fresh = { connection: "close" };

async function requests(url: string, query: RequestQuery = {}): Promise<readonly RequestFact[]> {
  const response = await fetch(url + urlOf(routes.requests, {}, query), { headers: fresh });
  return ((await response.json()) as { requests: RequestFact[] }).requests;
}

async function ask(url: string, model: string, text: string): Promise<void> {
  const body = { model, messages: [{ role: "user", content: text }] };
  const response = await post(`${url}/v1/chat/completions`, body, fresh);
  await response.text();
}

it("every worker lists what all of them served, and so does the server after a restart", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o", "gpt-4o-mini"] });
  closing.push(() => provider.close());
  const folder = scratchFolder();
  closing.push(folder.remove);
  const options = { db: folder.path("requests.db") };
  const flags = ["--upstream", provider.url];
  const workers = await startServe([...flags, "--workers", "2"], options);
  closing.push(() => workers.stop());
  for (let n = 0; n < 8; n++) await ask(workers.url, n % 2 === 0 ? "gpt-4o" : "gpt-4o-mini", `hi ${n}`);
  for (let n = 0; n < 4; n++) await expect.poll(() => requests(workers.url)).toHaveLength(8);
  const before = await requests(workers.url);
  await workers.stop();
  const serve = await serveHere(flags, options);
  closing.push(() => serve.stop());
  expect(await requests(serve.url)).toEqual(before);
  await ask(serve.url, "gpt-4o", "one more");
  expect(await requests(serve.url)).toHaveLength(9);
  expect(await requests(serve.url, { model: "gpt-4o-mini" })).toHaveLength(4);
  expect(await requests(serve.url, { outcome: "failed" })).toHaveLength(0);
  expect(before[0]).toMatchObject({
    status: 200,
    outcome: "pass",
    conversation: expect.any(String),
    usage: expect.any(Object),
    ms: expect.any(Number),
  });
});

it("what a chat of the page asked is listed apart from the requests of clients", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o"] });
  closing.push(() => provider.close());
  const serve = await serveHere(["--upstream", provider.url]);
  closing.push(() => serve.stop());
  await ask(serve.url, "gpt-4o", "by a client");
  const made = await post(`${serve.url}/api/conversations`, { model: "gpt-4o" });
  const { id } = (await made.json()) as ApiConversation;
  const answer = await post(`${serve.url}/api/conversations/${id}/chat`, { text: "by a person" });
  await answer.text();
  expect(await requests(serve.url)).toHaveLength(2);
  expect(await requests(serve.url, { from: "page" })).toMatchObject([
    { from: "page", conversation: id, model: "gpt-4o", status: 200, usage: expect.any(Object) },
  ]);
  const [client, ...others] = await requests(serve.url, { from: "client" });
  expect(others).toEqual([]);
  expect(client).toMatchObject({ path: "/v1/chat/completions" });
});

it("a request that precis itself refuses is listed with its status", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o"] });
  closing.push(() => provider.close());
  const serve = await serveHere(["--upstream", provider.url]);
  closing.push(() => serve.stop());
  const body = {
    model: "gpt-4o",
    messages: [{ role: "user", content: "Every word of it counts. ".repeat(200) }],
  };
  const response = await post(`${serve.url}/v1/chat/completions`, body, { "x-precis-budget": "200" });
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(provider.requests).toHaveLength(0);
  expect(await requests(serve.url, { outcome: "failed" })).toMatchObject([
    { status: response.status, model: "gpt-4o", path: "/v1/chat/completions", outcome: "refused" },
  ]);
  expect(await requests(serve.url, { outcome: "refused" })).toHaveLength(1);
  expect(await requests(serve.url, { outcome: "untouched" })).toEqual([]);
  expect(await totalsOf(serve.url)).toMatchObject({ requests: 1, errors: 1, refused: { "too-long": 1 } });
});

const LONG = "Every line of this paragraph is here to fill the window. ".repeat(30);

/** Turns of a chat that a client sends whole each time. */
function chatOf(turns: number): { role: string; content: string }[] {
  return Array.from({ length: turns }, (_, n) => [
    { role: "user", content: `Question ${n}: ${LONG}` },
    { role: "assistant", content: `Answer ${n}.` },
  ])
    .flat()
    .slice(0, -1);
}

it("a first request that is compacted loses no cache; a later compaction does, with what that costs", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o"] });
  closing.push(() => provider.close());
  const serve = await serveHere(["--upstream", provider.url, "--window", "8k"]);
  closing.push(() => serve.stop());
  const send = async (turns: number) => {
    const response = await post(`${serve.url}/v1/chat/completions`, {
      model: "gpt-4o",
      messages: chatOf(turns),
    });
    await response.text();
  };
  // It comes to the gateway when it is long already: nothing of it was ever sent from here.
  await send(30);
  const [first] = await requests(serve.url);
  expect(first).toMatchObject({ outcome: "compacted", reason: "budget" });
  expect(first).not.toHaveProperty("cacheLost");
  for (let turns = 31; turns < 60; turns++) {
    await send(turns);
    const [newest] = await requests(serve.url);
    if (newest?.outcome !== "compacted") continue;
    expect(newest).toMatchObject({ cacheLost: "compaction", reason: expect.any(String) });
    const { usage, spend = 0, lostSpend = 0 } = newest;
    expect(usage?.cacheRead).toBeLessThan(usage?.input ?? 0);
    expect(lostSpend).toBeGreaterThan(0);
    expect(lostSpend).toBeLessThan(spend);
    return;
  }
  expect.unreachable("nothing was compacted again");
});

it("a server that stores nothing lists and sums what it served as soon as somebody asks", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o"] });
  closing.push(() => provider.close());
  const serve = await serveHere(["--upstream", provider.url, "--no-store"]);
  closing.push(() => serve.stop());
  for (let n = 0; n < 3; n++) await ask(serve.url, "gpt-4o", `hi ${n}`);
  expect(await requests(serve.url)).toHaveLength(3);
  await ask(serve.url, "gpt-4o", "and again");
  const totals = await totalsOf(serve.url);
  expect(totals).toMatchObject({ requests: 4, errors: 0 });
  expect(totals.output).toBeGreaterThan(0);
});

it("without keys a request's client is its program, and totals and filters go by it", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o"] });
  closing.push(() => provider.close());
  const serve = await serveHere(["--upstream", provider.url]);
  closing.push(() => serve.stop());
  for (const agent of ["opencode/1.2 (linux)", "claude-cli/2.1"]) {
    const body = { model: "gpt-4o", messages: [{ role: "user", content: `I am ${agent}.` }] };
    await (await post(`${serve.url}/v1/chat/completions`, body, { "user-agent": agent })).text();
  }
  expect((await requests(serve.url)).map(({ client }) => client)).toEqual(["claude-cli", "opencode"]);
  expect(await requests(serve.url, { client: "opencode" })).toHaveLength(1);
  expect(await requests(serve.url, { search: "claude" })).toHaveLength(1);
  expect(await totalsOf(serve.url, {})).toMatchObject({ clients: ["claude-cli", "opencode"] });
});

it("a request's answer is its own: of a tool's round the call, of a summary its text, of what asked no model none", async () => {
  const provider = await startFakeProvider({ models: ["gpt-4o"], reply: summarizingReply() });
  closing.push(() => provider.close());
  const serve = await serveHere(["--upstream", provider.url, "--window", "8k"]);
  closing.push(() => serve.stop());
  const call = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name: "look", arguments: "{}" } }],
  };
  const result = { role: "tool", tool_call_id: "call_1", content: "RESULT" };
  const messages = [...chatOf(1), call, result];
  await (await post(`${serve.url}/v1/chat/completions`, { model: "gpt-4o", messages: chatOf(1) })).text();
  const send = (all: object[]) =>
    post(`${serve.url}/v1/chat/completions`, { model: "gpt-4o", messages: all }).then((one) => one.text());
  await send([...messages, { role: "assistant", content: "Done." }, ...chatOf(24)]);
  const { conversation } = (await requests(serve.url))[0]!;
  await (await post(`${serve.url}/api/conversations/${conversation}/compact`, {})).text();
  const all = await requests(serve.url, { conversation: conversation! });
  const recordOf = async ({ id }: RequestFact) =>
    (await (await fetch(serve.url + urlOf(routes.requestRecord, { id }))).json()) as RequestRecord;
  const records = await Promise.all(all.map(recordOf));
  for (const { from = "client", answer, noAnswer, path, details } of records) {
    expect(JSON.stringify(answer)).not.toContain("RESULT");
    if (from === "summary") {
      expect(answer).toEqual([expect.any(String)]);
      expect(details).not.toHaveProperty("reply");
    } else if (from === "compaction" && path === "compaction") {
      expect(answer).toEqual([]);
      expect(noAnswer).toMatch(/requests of their own/);
    } else if (from === "client") expect(answer).toMatchObject([{ role: "assistant" }]);
  }
  expect(new Set(records.map(({ from }) => from))).toContain("summary");
});
