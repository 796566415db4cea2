import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { memoryServerStore } from "../../src/stores/sqlite.ts";
import { compileCache } from "../support/compile-cache.ts";
import { programFile } from "../support/programs.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post, startUpstream } from "./own-upstream.ts";
import { startServe } from "./serve-process.ts";

const CHAT = { model: "m", stream: true, messages: [{ role: "user", content: "hi" }] };

it.each([
  ["one process", []],
  ["workers", ["--workers", "2"]],
])(
  "a server whose database doesn't answer ends when it is told to, before it has begun (%s)",
  async (_, flags) => {
    // It takes connections and says nothing.
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void silent.close());
    const connected = once(silent, "connection");
    const { port } = silent.address() as AddressInfo;
    const db = `postgres://precis@127.0.0.1:${port}/precis`;
    const child = spawn(
      process.execPath,
      [programFile("precis"), "serve", "--port", "0", "--db", db, ...flags],
      {
        env: { PATH: process.env["PATH"] ?? "", ...compileCache },
        stdio: "ignore",
      },
    );
    await connected;
    child.kill("SIGTERM");
    // One that waits for the database first ends with its failure.
    expect(await once(child, "exit")).toEqual([0, null]);
  },
);

it("a server whose terminal goes away finishes what is under way", async () => {
  const asked = Promise.withResolvers<() => void>();
  const there = await startUpstream((request, __, response) => {
    // Nothing is known of its models.
    if (request.method === "GET") return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = { choices: [{ index: 0, delta: { content: "whole" }, finish_reason: "stop" }] };
    asked.resolve(() => response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`));
  });
  onTestFinished(async () => void (await there.close()));
  const serve = await startServe(["--upstream", there.url], { db: "memory" });
  const answered = post(`${serve.url}/v1/chat/completions`, CHAT).then((response) => response.text());
  const goOn = await asked.promise;
  const ended = once(serve.child, "exit");
  serve.child.kill("SIGHUP");
  // It takes no more connections: it has heard.
  const isRefused = () =>
    fetch(`${serve.url}/healthz`).then(
      () => false,
      () => true,
    );
  await expect.poll(isRefused).toBe(true);
  goOn();
  expect(await answered).toContain("whole");
  expect(await ended).toEqual([0, null]);
  await serve.stop();
});

it("a server ends though its store answers no more, and counts what it couldn't store", async () => {
  const there = await startUpstream((_, __, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ choices: [{ index: 0, message: { role: "assistant", content: "yes" } }] }));
  });
  onTestFinished(async () => void (await there.close()));
  const store = memoryServerStore();
  const never = () => new Promise<never>(() => {});
  let append: () => Promise<never> = () => Promise.reject(new Error("the disk is full"));
  const conversations = {
    ...store.conversations,
    append: () => append(),
    find: (...args: Parameters<typeof store.conversations.find>) =>
      append === never ? never() : store.conversations.find(...args),
  };
  const gateway = await startGateway(upstreamAt(there.url), {
    store: { ...store, conversations, close: never },
    storePatienceMs: 20,
  });
  await (await post(`${gateway.url}/v1/chat/completions`, { ...CHAT, stream: false })).text();
  expect(gateway.gateway.spill?.waiting).toBe(1);
  append = never;
  await gateway.close();
  expect(gateway.gateway.spill?.waiting).toBe(0);
  const lost = await gateway.gateway.metrics.lostAnswers.get();
  expect(lost.values.map(({ value }) => value)).toEqual([1]);
});
