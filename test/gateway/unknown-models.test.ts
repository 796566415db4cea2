import { Writable } from "node:stream";
import { pino } from "pino";
import { afterEach, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

let provider: FakeProvider;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let lines: { level: number; msg: string; model?: string; window?: number }[] = [];
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

async function start(config: object = {}, window?: number): Promise<void> {
  lines = [];
  const sink = new Writable({
    write(line: Buffer, _, done) {
      lines.push(JSON.parse(line.toString()) as (typeof lines)[0]);
      done();
    },
  });
  provider = await startFakeProvider(window === undefined ? {} : { window });
  gateway = await startGateway(
    { ...upstreamAt(provider.url), ...config },
    { log: pino({ level: "info" }, sink) },
  );
}

const ask = (model: string, words = "hi") =>
  post(`${gateway.url}/v1/chat/completions`, { model, messages: [{ role: "user", content: words }] });

const warned = () => lines.filter(({ level }) => level === 40);

it("warns once of each model whose window had to be guessed, with the way to tell it", async () => {
  await start();
  for (const words of ["hi", "word ".repeat(4_000), "hi again"])
    for (const model of [
      "my-finetune-7b",
      "some-other-model",
      "gpt-4o",
      "ft:gpt-4o-mini-2024-07-18:org::abc",
    ])
      expect((await ask(model, words)).status).toBe(200);
  expect(warned()).toMatchObject([
    { model: "my-finetune-7b", window: 8_192 },
    { model: "some-other-model", window: 8_192 },
  ]);
  expect(warned()[0]!.msg).toContain("--window");
  expect(warned()[0]!.msg).toContain("upstreams[].windows");
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(metrics).toContain("precis_guessed_windows_total 2\n");
});

it("says nothing where the window is set", async () => {
  await start({ window: "32k" });
  expect((await ask("my-finetune-7b", "word ".repeat(4_000))).status).toBe(200);
  expect(warned()).toEqual([]);
});

it("doesn't fill the log when a client makes up names without end", async () => {
  await start();
  const many = 120;
  for (let n = 0; n < many; n++) await ask(`made-up-${n}`);
  await ask("x".repeat(5_000));
  expect(warned().length).toBeGreaterThan(10);
  expect(warned().length).toBeLessThanOrEqual(100);
});

/** Some 15,000 tokens of tools, as coding agents have them. */
const tools = Array.from({ length: 150 }, (_, n) => ({
  type: "function",
  function: {
    name: `tool_${n}`,
    description: `Does one thing, the one of the number ${n}. `.repeat(10),
    parameters: { type: "object", properties: {} },
  },
}));
const turns = (count: number) =>
  Array.from({ length: 2 * count + 1 }, (_, n) => ({
    role: n % 2 === 0 ? "user" : "assistant",
    content: `${n}: ${"several words of a talk ".repeat(40)}`,
  }));
const work = (messages: readonly object[]) =>
  post(`${gateway.url}/v1/chat/completions`, { model: "MyModel-9", messages, tools });

it("a guessed window refuses nothing: what can't fit it is passed on as it came", async () => {
  await start();
  const messages = turns(10);
  expect((await work(messages)).status).toBe(200);
  const sent = () => provider.requests.at(-1)!.messages.map(({ text }) => text);
  expect(sent()).toEqual(messages.map(({ content }) => content));
  const long = "several words of a talk ".repeat(3_000);
  expect((await ask("MyModel-9", long)).status).toBe(200);
  expect(sent()).toEqual([long]);
});

it("what an upstream says of its window counts more than a guess, be it larger", async () => {
  await start({ summarizer: "extractive" }, 40_000);
  expect((await work(turns(200))).status).toBe(200);
  expect(provider.requests.map(({ status }) => status)).toEqual([400, 200]);
  expect((await work(turns(201))).status).toBe(200);
  expect(provider.requests.map(({ status }) => status)).toEqual([400, 200, 200]);
});

it("a client names the window of a model with a header", async () => {
  await start({ summarizer: "extractive" });
  const request = { model: "MyModel-9", messages: turns(60) };
  const headers = { "x-precis-window": "128k" };
  const response = await post(`${gateway.url}/v1/chat/completions`, request, headers);
  expect(response.headers.get("x-precis-action")).toBe("pass");
});
