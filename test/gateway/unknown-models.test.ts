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

async function start(config: object = {}): Promise<void> {
  lines = [];
  const sink = new Writable({
    write(line: Buffer, _, done) {
      lines.push(JSON.parse(line.toString()) as (typeof lines)[0]);
      done();
    },
  });
  provider = await startFakeProvider();
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
