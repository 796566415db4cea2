import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { routes } from "../../src/gateway/api.ts";
import {
  type FakeProvider,
  type FakeProviderOptions,
  startFakeProvider,
} from "../../src/testing/fake-provider/index.ts";
import { byProof } from "../support/proof.ts";
import { apiOf } from "./api-support.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";

/** Coding clients ask for answers of 32,000 tokens by default, and get some hundred. */
const WINDOW = 64_000;
const ASKED = 32_000;
const SAFETY = 0.02 * WINDOW;
const FIRST = WINDOW - WINDOW / 8 - SAFETY;
const AFTER_SHORT_ANSWERS = WINDOW - 1_024 - SAFETY;

/** About what precis counts of these texts. */
const count = (text: string): number => Math.ceil(text.length / 5.6);

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(reply: NonNullable<FakeProviderOptions["reply"]>, config: object = {}) {
  const provider = await startFakeProvider({ window: WINDOW, reply, count });
  closing.push(provider.close);
  return { provider, ...(await node(provider, config)) };
}

async function node(provider: FakeProvider, config: object) {
  const running = await startGateway({
    ...upstreamAt(provider.url),
    window: WINDOW,
    summarizer: "extractive",
    ...config,
  });
  closing.push(running.close);
  return { running, url: running.url };
}

interface Said {
  readonly role: string;
  readonly content: string;
}

const talk = (length: number): Said[] =>
  Array.from({ length }, (_, number) => ({
    role: number % 2 === 0 ? "user" : "assistant",
    content: `Message ${number}. ${"Some words about nothing in particular. ".repeat(60)}`,
  }));

/** One request of a client that always asks for the same. */
type Ask = (url: string, messages: readonly Said[]) => Promise<Response>;

const asking =
  (path: string, body: (messages: readonly Said[]) => object): Ask =>
  async (url, messages) => {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: JSON.stringify(body(messages)),
    });
    expect(response.status, await response.clone().text()).toBe(200);
    await response.text();
    return response;
  };

const chat = (stream: boolean, max_tokens = ASKED): Ask =>
  asking("/v1/chat/completions", (messages) => ({
    model: "any-model",
    max_tokens,
    messages,
    ...(stream && { stream, stream_options: { include_usage: true } }),
  }));
const responses = (stream: boolean): Ask =>
  asking("/v1/responses", (input) => ({ model: "any-model", max_output_tokens: ASKED, input, stream }));
const messages = (stream: boolean): Ask =>
  asking("/v1/messages", (said) => ({
    model: "claude-sonnet-4-5",
    max_tokens: ASKED,
    messages: said,
    stream,
  }));

const CLIENTS: readonly (readonly [name: string, ask: Ask])[] = [
  ["Chat Completions", chat(false)],
  ["Chat Completions, streamed", chat(true)],
  ["Responses", responses(false)],
  ["Responses, streamed", responses(true)],
  ["Messages", messages(false)],
  ["Messages, streamed", messages(true)],
];

/** One client of each API, streaming or not in turns. */
const ONE_OF_EACH = [CLIENTS[0]!, CLIENTS[3]!, CLIENTS[4]!];

/** The budget of a request, as its headers tell: pressure has three digits. */
function budgetOf({ headers }: Response): number {
  return Number(headers.get("x-precis-tokens-after")) / Number(headers.get("x-precis-pressure"));
}

/** The same question again and again: enough of the window is used for the gateway to count. */
async function askTimes(url: string, ask: Ask, times: number): Promise<Response> {
  let last: Response | undefined;
  for (let n = 0; n < times; n++) last = await ask(url, talk(61));
  return last!;
}

const near = (budget: number, expected: number): void =>
  expect(Math.abs(budget / expected - 1), `${budget} instead of ${expected}`).toBeLessThan(0.005);

describe("a client that asks for half of the window and gets short answers has nearly all of it", () => {
  it.each(byProof({ sample: ONE_OF_EACH, more: CLIENTS, all: CLIENTS }))("%s", async (_, ask) => {
    const { url } = await start("Done. ".repeat(100));
    near(budgetOf(await askTimes(url, ask, 1)), FIRST);
    near(budgetOf(await askTimes(url, ask, 9)), AFTER_SHORT_ANSWERS);
  });
});

it("long answers take room from the transcript, up to a fifth of the window", async () => {
  const { url } = await start("A long answer goes on. ".repeat(2_000));
  await askTimes(url, chat(false), 1);
  const budget = budgetOf(await askTimes(url, chat(false), 1));
  expect(budget).toBeLessThan(FIRST - 3_000);
  expect(budget).toBeGreaterThan(WINDOW * 0.77);
});

it("an answer that was cut off at a low maximum gets more room when more is asked for", async () => {
  const { url } = await start("A long answer goes on. ".repeat(2_000));
  await askTimes(url, chat(false, 6_500), 2);
  expect(budgetOf(await askTimes(url, chat(false), 1))).toBeLessThan(FIRST - 3_000);
});

it("a chat on the page learns from its answers, too, and its cap is lowered to what is left", async () => {
  const { url, provider } = await start("Done. ".repeat(100));
  const api = apiOf(() => url);
  const { id } = await api.call(routes.createConversation, {
    body: { settings: { model: "any-model", maxTokens: ASKED } },
  });
  const before = await api.call(routes.pressure, { params: { id } });
  expect(before.budget.reserve).toBe(WINDOW / 8);
  for (let n = 0; n < 9; n++)
    await api.events(routes.chat, {
      params: { id },
      body: { text: `Message ${n}. ${"Some words about nothing in particular. ".repeat(700)}` },
    });
  const after = await api.call(routes.pressure, { params: { id } });
  expect(after.budget.reserve).toBe(1_024);
  const caps = provider.requests.map(({ cap }) => cap!);
  expect(caps[0]).toBe(ASKED);
  expect(Math.min(...caps)).toBeLessThan(ASKED);
  expect(provider.requests.flatMap(({ error }) => error ?? [])).toEqual([]);
});

it("a lowered cap isn't less than what is kept free for the answer", async () => {
  const { url, provider } = await start("Done. ".repeat(100), { reserve: 6_000 });
  for (let length = 31; length <= 161; length += 6) await chat(false)(url, talk(length));
  const caps = provider.requests.map(({ cap }) => cap!);
  expect(Math.max(...caps)).toBeLessThanOrEqual(ASKED);
  expect(Math.min(...caps)).toBeGreaterThanOrEqual(6_000);
  expect(provider.requests.flatMap(({ error }) => error ?? [])).toEqual([]);
});

it("a second node on the same database decides as the first one does, long answers included", async () => {
  const folder = await mkdtemp(join(tmpdir(), "precis-reserve-"));
  closing.push(() => rm(folder, { recursive: true }));
  const db = join(folder, "precis.db");
  const { url, provider } = await start("Done. ".repeat(100), { db });
  const other = await node(provider, { db });
  // The figure falls with the eighth answer; later answers are stored after it.
  await askTimes(url, chat(false), 10);
  near(budgetOf(await askTimes(other.url, chat(false), 1)), AFTER_SHORT_ANSWERS);
  provider.setReply("A long answer goes on. ".repeat(2_000));
  await askTimes(other.url, chat(false), 2);
  expect(budgetOf(await askTimes(url, chat(false), 1))).toBeLessThan(FIRST - 2_000);
});
