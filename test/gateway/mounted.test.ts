import { createServer, type RequestListener } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import OpenAI from "openai";
import { expect, onTestFinished, test } from "vitest";
import { createGateway } from "../../src/gateway/index.ts";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";

/** As much of Express as the test uses; its types are a package that nothing else here needs. */
type Express = RequestListener & { use(path: string, handler: RequestListener): void };
const express = createRequire(import.meta.url)("express") as () => Express;

const mounts: Record<string, (handler: RequestListener) => { listener: RequestListener; path: string }> = {
  "Node's own server": (listener) => ({ listener, path: "" }),
  "Hono below a path": (handler) => {
    const app = new Hono<{ Bindings: { incoming: never; outgoing: never } }>();
    app.all("/llm/*", ({ env }) => {
      const incoming = env.incoming as Parameters<RequestListener>[0];
      incoming.url = incoming.url!.slice("/llm".length);
      handler(incoming, env.outgoing);
      return RESPONSE_ALREADY_SENT;
    });
    return { listener: getRequestListener(app.fetch) as RequestListener, path: "/llm" };
  },
  "Express below a path": (handler) => {
    const app = express();
    app.use("/llm", handler);
    return { listener: app, path: "/llm" };
  },
};

test.each(Object.entries(mounts))(
  "the gateway serves streams and the page's API inside of %s, and closes after the last answer",
  async (_, mount) => {
    const asked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<string>();
    const provider = await startFakeProvider({
      reply({ number }) {
        if (number === 0) return "The answer is 42.";
        asked.resolve();
        return released.promise;
      },
    });
    const gateway = await createGateway({
      db: "memory",
      log: "silent",
      upstreams: [{ name: "fake", baseURL: provider.url }],
    });
    const { listener, path } = mount(gateway.handler);
    const server = createServer(listener);
    onTestFinished(async () => {
      server.close();
      server.closeAllConnections();
      await provider.close();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

    const client = new OpenAI({ baseURL: `${base}/v1`, apiKey: "k" });
    const stream = await client.chat.completions.create({
      model: "gpt-5-mini",
      messages: [{ role: "user", content: "What is the answer?" }],
      stream: true,
    });
    let text = "";
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
    expect(text).toBe("The answer is 42.");

    const { conversations } = (await (await fetch(`${base}/api/conversations`)).json()) as {
      conversations: unknown[];
    };
    expect(conversations).toHaveLength(1);

    const last = client.chat.completions.create({
      model: "gpt-5-mini",
      messages: [{ role: "user", content: "And after the end?" }],
    });
    await asked.promise;
    const closing = gateway.close();
    // Time enough to close, if it didn't wait for the answer.
    for (let asked = 0; asked < 30; asked++) await fetch(`${provider.url}/v1/models`);
    released.resolve("Still here.");
    await closing;
    expect((await last).choices[0]?.message.content).toBe("Still here.");
  },
);

test("a config that can't work is refused with its key", async () => {
  await expect(createGateway({ port: -1 })).rejects.toThrow(/port/);
});

test.each([
  [
    "upstreams.0.apiKey",
    { upstreams: [{ name: "a", baseURL: "http://127.0.0.1:9/v1", apiKey: "env:HOME" }] },
  ],
  ["auth.keys.0.key", { auth: { keys: [{ name: "ann", key: "env:PRECIS_ANN_KEY" }] } }],
])(
  "%s that names a variable is refused: it would be a key that anybody can guess",
  async (option, config) => {
    await expect(createGateway({ db: "memory", log: "silent", ...config })).rejects.toThrow(
      expect.objectContaining({ option }),
    );
  },
);

test("a mounted gateway says which version it is", async () => {
  const gateway = await createGateway({ db: "memory", log: "silent" });
  const server = createServer(gateway.handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/healthz`);
    expect(await answer.json()).toMatchObject({ version: expect.stringMatching(/^(?!0\.0\.0)\d+\.\d+/) });
  } finally {
    server.closeAllConnections();
    server.close();
    await gateway.close();
  }
});
