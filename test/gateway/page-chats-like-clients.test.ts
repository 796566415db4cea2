/** A chat of the page takes the same turn as a request of a client: nothing that is learned from one is lost on the other. */
import { afterEach, expect, it } from "vitest";
import { type ChatEvent, routes } from "../../src/gateway/api.ts";
import {
  type FakeProvider,
  type FakeProviderOptions,
  startFakeProvider,
} from "../../src/testing/fake-provider/index.ts";
import { apiOf } from "./api-support.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { startUpstream } from "./own-upstream.ts";
import { totalsOf } from "./totals-of.ts";

let provider: FakeProvider | undefined;
let gateway: Awaited<ReturnType<typeof startGateway>>;
const { call, events } = apiOf(() => gateway.url);

afterEach(async () => {
  await gateway.close();
  await provider?.close();
  provider = undefined;
});

async function start(options: FakeProviderOptions, config: object = {}): Promise<void> {
  provider = await startFakeProvider(options);
  gateway = await startGateway({ ...upstreamAt(provider.url), ...config });
}

async function newChat(model = "gpt-4o"): Promise<string> {
  return (await call(routes.createConversation, { body: { model } })).id;
}

async function say(id: string, text: string): Promise<ChatEvent[]> {
  const told = await events(routes.chat, { params: { id }, body: { text } });
  expect(told.filter(({ type }) => type === "failed")).toEqual([]);
  await gateway.gateway.compactors.settled();
  return told;
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

const isSummary = (lastUser: string) => /summar/i.test(lastUser);
const words = (turn: number) => `Turn ${turn}: valve V-${turn}00. ${"please say more about it. ".repeat(60)}`;

/** Many tokens in few bytes: only a request that surely leaves room for a summary's prompt is continued. */
const figures = (turn: number) =>
  `Turn ${turn}: ${Array.from({ length: 800 }, (_, n) => (n * 37 + turn) % 90).join(" ")}`;

it("a chat of the page is counted by what the provider counts", async () => {
  // The provider counts half as much again as the tokenizer.
  await start({ window: 100_000, count: (text) => Math.ceil(text.length / 3) });
  const id = await newChat();
  await say(id, words(0));
  const first = await call(routes.pressure, { params: { id } });
  for (let turn = 1; turn < 8; turn++) await say(id, words(turn));
  const last = await call(routes.pressure, { params: { id } });
  const asked = provider!.requests.at(-1)!.tokens.input;
  const before = first.tokens / (provider!.requests[0]!.tokens.input + 1);
  expect(last.tokens / asked).toBeGreaterThan(before * 1.1);
});

it("a summary of a page's chat continues its last request, which the provider has in its cache", async () => {
  await start(
    {
      window: 40_000,
      reply: ({ lastUser }) =>
        isSummary(lastUser)
          ? "## Summary\nThe user speaks of valves and wants to hear more about each. Nothing is open. ".repeat(
              3,
            )
          : `Understood. ${"word ".repeat(30)}`,
    },
    { window: 40_000 },
  );
  const id = await newChat();
  for (let turn = 0; turn < 30; turn++) await say(id, figures(turn));
  const summaries = provider!.requests.filter(({ lastUser }) => isSummary(lastUser));
  expect(summaries.length).toBeGreaterThan(0);
  // All messages of the chat's request stand before the question for a summary.
  expect(summaries[0]!.messages.length).toBeGreaterThan(3);
  expect(summaries[0]!.tokens.cacheRead).toBeGreaterThan(1_000);
});

it("chats of the page are in the metrics and in the totals", async () => {
  await start({ window: 4_000 }, { window: 4_000, summarizer: "extractive" });
  const id = await newChat();
  for (let turn = 0; turn < 12; turn++) await say(id, words(turn));
  expect(await metric('precis_requests_total{api="chat",status="2xx"')).toBe(12);
  expect(await metric("precis_request_seconds_count")).toBe(12);
  expect(await metric("precis_own_seconds_count")).toBe(12);
  expect(await metric("precis_compactions_total")).toBeGreaterThan(0);
  expect(await metric("precis_tokens_saved_total")).toBeGreaterThan(0);
  expect(await metric("precis_active_requests")).toBe(0);
  const totals = await call(routes.totals);
  expect(totals).toMatchObject({ requests: 12, errors: 0 });
  expect(totals.tokensSaved).toBeGreaterThan(0);
  provider!.failNext("unauthorized");
  await events(routes.chat, { params: { id }, body: { text: "Once more." } });
  expect(await metric('precis_requests_total{api="chat",status="4xx"')).toBe(1);
});

it.each([
  ["gpt-4o", "cost", "unpriced"],
  ["a-model-without-prices", "unpriced", "cost"],
] as const)("what summaries of %s cost is in the totals as %s", async (model, counted, other) => {
  await start(
    {
      window: 4_000,
      models: [model],
      reply: ({ lastUser }) =>
        isSummary(lastUser)
          ? "## Summary\nThe user speaks of valves and wants to hear more about each. Nothing is open. ".repeat(
              3,
            )
          : "Understood.",
    },
    // In a window this small a summary costs nearly as much as the turns that it speaks for.
    { window: 4_000, summary: { costShare: 1 } },
  );
  const id = await newChat(model);
  for (let turn = 0; turn < 12; turn++) await say(id, words(turn));
  expect(provider!.requests.some(({ lastUser }) => isSummary(lastUser))).toBe(true);
  const totals = await call(routes.totals);
  expect(totals[counted]).toBeGreaterThan(0);
  expect(totals[other]).toBe(0);
});

it("a request that names no model has none in the list of requests", async () => {
  await start({});
  await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "Hello" }] }),
  });
  const { requests } = await call(routes.requests);
  expect(requests.map(({ model }) => model)).toEqual([undefined]);
});

it("a model that comes to the same tool round again and again in a chat of the page is noticed", async () => {
  let calls = 0;
  // Unlike the fake one, many servers take calls that nobody answered, and the page answers none.
  const upstream = await startUpstream((_, __, response) => {
    const call = {
      index: 0,
      id: `call_${calls++}`,
      function: { name: "read", arguments: '{"path":"a.ts"}' },
    };
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] })}\n\ndata: [DONE]\n\n`,
    );
  });
  gateway = await startGateway({ ...upstreamAt(upstream.url), window: 4_000, summarizer: "extractive" });
  const { conversations } = await call(routes.importFile, {
    body: {
      name: "chat.json",
      text: JSON.stringify({
        model: "gpt-4o",
        messages: Array.from({ length: 16 }, (_, n) => ({
          role: n % 2 === 0 ? "user" : "assistant",
          content: words(n),
        })),
      }),
    },
  });
  const { id } = conversations[0]!;
  for (let turn = 0; turn < 6; turn++) await say(id, "Read a.ts.");
  const sums = await totalsOf(gateway.url);
  expect(sums.compactions).toBeGreaterThan(0);
  expect(sums.loops).toBeGreaterThan(0);
  const { events: told } = await call(routes.timeline, { params: { id } });
  expect(told.find(({ type }) => type === "loop")).toMatchObject({ tool: "read" });
  await upstream.close();
});
