import { request as httpRequest, type IncomingMessage } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { whenSteady } from "../support/when-steady.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";

type Gateway = Awaited<ReturnType<typeof startGateway>>;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function upstream(answer: Parameters<typeof startUpstream>[0]): Promise<OwnUpstream> {
  const there = await startUpstream(answer);
  closing.push(() => there.close());
  return there;
}

async function gateway(config: object): Promise<Gateway> {
  const running = await startGateway(config);
  closing.push(() => running.close());
  return running;
}

const CHAT =
  '{ "model": "gpt-4o",\n  "messages": [{"role":"user","content":"h\\u00e9llo"}],  "odd_field": 1.50 }';
const ANSWER =
  '{ "id":"x", "choices":[{"index":0,"message":{"role":"assistant","content":"hi"}}], "usage":{"prompt_tokens":3,"completion_tokens":1} }';

describe("a request that fits", () => {
  it("leaves with its own bytes and comes back with the upstream's", async () => {
    const there = await upstream((_, __, response) => response.setHeader("x-odd", "1").end(ANSWER));
    const { url } = await gateway(upstreamAt(there.url));
    const response = await post(`${url}/v1/chat/completions?beta=true`, CHAT, {
      authorization: "Bearer client-key",
      "x-precis-session": "mine",
      "x-custom": "kept",
    });
    expect(await response.text()).toBe(ANSWER);
    expect(response.headers.get("x-odd")).toBe("1");
    expect(response.headers.get("x-precis-action")).toBe("pass");
    expect(response.headers.get("x-precis-session")).toBe("mine");
    const { body, request } = there.seen[0]!;
    expect(body.toString()).toBe(CHAT);
    expect(request.url).toBe("/v1/chat/completions?beta=true");
    expect(request.headers).toMatchObject({ authorization: "Bearer client-key", "x-custom": "kept" });
    expect(Object.keys(request.headers).filter((name) => name.startsWith("x-precis"))).toEqual([]);
  });

  it("is measured without its compression", async () => {
    const there = await upstream((_, __, response) => response.end(ANSWER));
    const { url } = await gateway({ ...upstreamAt(there.url), window: 8_000, summarizer: "extractive" });
    const said = (role: string, n: number) => ({ role, content: `${n}: ${"please say more. ".repeat(100)}` });
    const messages = Array.from({ length: 41 }, (_, n) => said(n % 2 === 0 ? "user" : "assistant", n));
    const bytes = gzipSync(JSON.stringify({ model: "gpt-4o", messages }));
    const response = await post(`${url}/v1/chat/completions`, bytes, { "content-encoding": "gzip" });
    expect(response.headers.get("x-precis-action")).toBe("compacted");
    const { body, request } = there.seen[0]!;
    expect(request.headers["content-encoding"]).toBeUndefined();
    expect((JSON.parse(body.toString()) as { messages: unknown[] }).messages.length).toBeLessThan(41);
  });

  it("may be compressed, and stays so", async () => {
    const there = await upstream((_, __, response) => response.end(ANSWER));
    const { url } = await gateway(upstreamAt(there.url));
    for (const [encoding, bytes] of [
      ["gzip", gzipSync(CHAT)],
      ["br", brotliCompressSync(CHAT)],
    ] as const) {
      const response = await post(`${url}/v1/chat/completions`, bytes, { "content-encoding": encoding });
      expect(response.status).toBe(200);
      expect(there.seen.at(-1)!.body.equals(bytes)).toBe(true);
    }
    const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024));
    expect((await post(`${url}/v1/chat/completions`, bomb, { "content-encoding": "gzip" })).status).toBe(413);
  });

  it("uses the server's key instead of the client's where there is one", async () => {
    const there = await upstream((_, __, response) => response.end(ANSWER));
    const { url } = await gateway(upstreamAt(there.url, { apiKey: "server-key", windows: { m: "32k" } }));
    await post(`${url}/v1/chat/completions`, CHAT, { authorization: "Bearer client-key" });
    await post(`${url}/v1/messages`, '{"model":"m","messages":[{"role":"user","content":"a"}]}', {
      "x-api-key": "client-key",
    });
    expect(there.seen[0]!.request.headers.authorization).toBe("Bearer server-key");
    expect(there.seen[1]!.request.headers["x-api-key"]).toBe("server-key");
    expect(JSON.stringify(there.seen.map(({ request }) => request.headers))).not.toContain("client-key");
  });
});

describe("an answer", () => {
  it("that is streamed arrives piece by piece, its end only after the transcript is stored", async () => {
    let release: (() => void) | undefined;
    const there = await upstream((_, __, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('data: {"choices":[{"index":0,"delta":{"content":"first"}}]}\n\n');
      release = () =>
        response.end('data: {"choices":[{"index":0,"delta":{"content":" second"}}]}\n\ndata: [DONE]\n\n');
    });
    const running = await gateway(upstreamAt(there.url));
    const response = await post(
      `${running.url}/v1/chat/completions`,
      CHAT.replace("{ ", '{ "stream": true, '),
    );
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toContain("first");
    let committed = false;
    const { conversations } = running.gateway.store;
    const append = conversations.append.bind(conversations);
    (conversations as { append: typeof append }).append = async (...args) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      const appended = await append(...args);
      committed = true;
      return appended;
    };
    release!();
    let rest = "";
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      rest += piece.value;
      if (rest.includes("[DONE]")) expect(committed).toBe(true);
    }
    expect(rest).toContain("second");
    expect(rest).toContain("[DONE]");
    const { conversations: listed } = await conversations.list("default");
    const stored = await conversations.read("default", listed[0]!.id);
    expect(stored.map(({ wire }) => wire)).toEqual([
      '{"role":"user","content":"héllo"}',
      '{"role":"assistant","content":"first second"}',
    ]);
  });

  it("that is an error passes as it is", async () => {
    const error =
      '{"error":{"message":"no such model","type":"invalid_request_error","code":"model_not_found"}}';
    const there = await upstream((_, __, response) =>
      response.writeHead(404, { "retry-after": "7" }).end(error),
    );
    const { url } = await gateway(upstreamAt(there.url));
    const response = await post(`${url}/v1/chat/completions`, CHAT);
    expect(response.status).toBe(404);
    expect(response.headers.get("retry-after")).toBe("7");
    expect(await response.text()).toBe(error);
  });

  it("nobody waits for any more isn't asked for any more", async () => {
    let cancelled: Promise<void> | undefined;
    const there = await upstream((request, _, response) => {
      cancelled = new Promise((resolve) => request.socket.on("close", () => resolve()));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: {}\n\n");
    });
    const { url } = await gateway(upstreamAt(there.url));
    const controller = new AbortController();
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      body: CHAT,
      signal: controller.signal,
    });
    await response.body!.getReader().read();
    controller.abort();
    await cancelled;
  });

  it("that breaks off ends with an error for the client", async () => {
    let breakOff = () => {};
    const there = await upstream((_, __, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: {}\n\n");
      breakOff = () => response.destroy();
    });
    const { url } = await gateway(upstreamAt(there.url));
    const response = await post(`${url}/v1/chat/completions`, CHAT);
    breakOff();
    const [first, last, ...more] = (await response.text()).split("\n\n").filter(Boolean);
    expect(first).toBe("data: {}");
    expect(JSON.parse(last!.replace("data: ", ""))).toMatchObject({ error: { message: expect.any(String) } });
    expect(more).toEqual([]);
  });

  it("is held back as long as the client doesn't read", async () => {
    let written = 0;
    const there = await upstream((_, __, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const piece = Buffer.alloc(256 * 1024, "x");
      const more = (): void => {
        while (written < 400 && response.write(piece)) written++;
        if (written < 400) response.once("drain", more);
        else response.end();
      };
      more();
    });
    const { url } = await gateway(upstreamAt(there.url));
    const waiting = await new Promise<IncomingMessage>((resolve) => {
      const request = httpRequest(`${url}/v1/chat/completions`, { method: "POST" }, (answer) => {
        answer.pause();
        resolve(answer);
      });
      request.end(CHAT);
    });
    await whenSteady(() => written);
    expect(written).toBeLessThan(200);
    waiting.destroy();
  });
});

describe("what can't be served", () => {
  it("says clearly that there is no upstream, and the rest works", async () => {
    const { url } = await gateway({});
    const response = await post(`${url}/v1/chat/completions`, CHAT);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      error: { code: "no-upstream", message: expect.stringContaining("--upstream") },
    });
    expect((await fetch(`${url}/`)).status).toBe(200);
    expect((await fetch(`${url}/api/status`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  it("is told in the words of the client's API", async () => {
    const there = await upstream((_, __, response) => response.end(ANSWER));
    const { url } = await gateway(upstreamAt(there.url));
    for (const [body, words] of [
      ["{", "valid JSON"],
      ["[]", "JSON object"],
      [Buffer.from([0x7b, 0xff, 0x7d]), "UTF-8"],
      ['{"model":"m"}', "messages"],
    ] as const) {
      const openai = await post(`${url}/v1/chat/completions`, body as string);
      expect(openai.status).toBe(400);
      expect(await openai.json()).toMatchObject({
        error: { type: "invalid_request_error", message: expect.stringContaining(words) },
      });
      const anthropic = await post(`${url}/v1/messages`, body as string);
      expect(await anthropic.json()).toMatchObject({
        type: "error",
        error: { type: "invalid_request_error" },
      });
    }
    expect(there.seen).toEqual([]);
    const gemini = await post(`${url}/v1beta/models/gemini-pro:generateContent`, "{}");
    expect(gemini.status).toBe(400);
    expect(await gemini.json()).toMatchObject({ error: { status: "INVALID_ARGUMENT" } });
  });

  it("is a body above the limit, a strange host, another website, a path that leads elsewhere", async () => {
    const there = await upstream((_, __, response) => response.end(ANSWER));
    const { url } = await gateway({ ...upstreamAt(there.url), limits: { bodyBytes: 1_000, drainMs: 100 } });
    expect((await post(`${url}/v1/chat/completions`, `{"messages":["${"x".repeat(2_000)}"]}`)).status).toBe(
      413,
    );
    expect((await post(`${url}/v1/chat/completions`, CHAT, { origin: "https://evil.example" })).status).toBe(
      403,
    );
    const { port } = new URL(url);
    const status = (path: string, headers: Record<string, string> = {}) =>
      new Promise<number>((resolve, reject) => {
        httpRequest({ port, path, headers, host: "127.0.0.1" }, (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        })
          .on("error", reject)
          .end();
      });
    expect(await status("/api/status", { host: "evil.example" })).toBe(421);
    expect(await status("/v1/../admin")).toBe(400);
    expect(await status("/v1/%2e%2e/admin")).toBe(400);
    expect(await status("/..%2f..%2fetc/passwd")).toBe(400);
    expect(await status("/v1/models/..%2f..%2fadmin")).toBe(400);
    expect(await status("/v1/models/a%2F%2e%2E/admin")).toBe(400);
    expect(await status("/v1/models/%2fadmin")).toBe(400);
    expect(await status("/v1/models/a%5cb")).toBe(400);
    expect(await status("/api%2fstatus")).toBe(400);
    expect(there.seen).toEqual([]);
  });

  it("is an upstream that isn't there", async () => {
    const { url } = await gateway(upstreamAt("http://127.0.0.1:9"));
    const response = await post(`${url}/v1/chat/completions`, CHAT);
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: "upstream-unreachable" } });
  });

  it("is a header with a value that can't be", async () => {
    const there = await upstream((_, __, response) => response.end(ANSWER));
    const { url } = await gateway(upstreamAt(there.url));
    for (const [name, value] of [
      ["x-precis-strategy", "magic"],
      ["x-precis-profile", "magic"],
      ["x-precis-budget", "-5"],
      ["x-precis-options", "many"],
      ["x-precis-options", '{"tail":{"mesages":3}}'],
      ["x-precis-session", "a b"],
    ] as const) {
      const response = await post(`${url}/v1/chat/completions`, CHAT, { [name]: value });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain(name);
    }
  });
});

it("a WebSocket is refused at once, so that its client goes on over HTTP, and the upstream never sees it", async () => {
  const there = await upstream((_, __, response) => response.end(ANSWER));
  const { url } = await gateway(upstreamAt(there.url));
  const refused = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    };
    httpRequest(`${url}/v1/responses`, { headers }, resolve).on("error", reject).end();
  });
  expect(refused.statusCode).toBe(426);
  const pieces: Buffer[] = [];
  for await (const piece of refused) pieces.push(piece as Buffer);
  expect(Buffer.concat(pieces).toString()).toContain("POST");
  expect(there.seen).toHaveLength(0);
});

it("Google's uploads go to the upstream that speaks its API, with its key where Google reads it", async () => {
  const google = await upstream((_, __, response) =>
    response.setHeader("x-goog-upload-url", "https://upload.example/1").end('{"file":{}}'),
  );
  const openai = await upstream((_, __, response) => response.end("{}"));
  const { url } = await gateway({
    upstreams: [
      { name: "openai", baseURL: openai.url, dialects: ["openai-chat"] },
      { name: "google", baseURL: `${google.url}/v1beta`, dialects: ["gemini-contents"], apiKey: "of-google" },
    ],
  });
  for (const path of ["/upload/v1beta/files?uploadType=resumable", "/upload/v1/files"]) {
    const response = await post(`${url}${path}`, '{"file":{"displayName":"a"}}', {
      "x-goog-upload-protocol": "resumable",
      "x-goog-api-key": "of-the-client",
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-goog-upload-url")).toBe("https://upload.example/1");
    const { request, body } = google.seen.at(-1)!;
    expect(request.url).toBe(path);
    expect(request.headers).toMatchObject({
      "x-goog-api-key": "of-google",
      "x-goog-upload-protocol": "resumable",
    });
    expect(body.toString()).toBe('{"file":{"displayName":"a"}}');
  }
});

describe("everything else under /v1", () => {
  it("passes byte for byte", async () => {
    const there = await upstream((request, body, response) =>
      response.end(`${request.method} ${request.url} ${body.length}`),
    );
    const { url } = await gateway(upstreamAt(`${there.url}/v1`));
    expect(await (await post(`${url}/v1/embeddings`, '{"model":"e","input":"x"}')).text()).toBe(
      "POST /v1/embeddings 25",
    );
    expect(await (await fetch(`${url}/v1/files/f1`, { method: "DELETE" })).text()).toBe(
      "DELETE /v1/files/f1 0",
    );
  });

  it("may name a model with a slash in it, as official clients write it", async () => {
    const there = await upstream((_, __, response) => response.end(ANSWER));
    const { url } = await gateway(upstreamAt(there.url));
    for (const path of ["/v1/models/meta-llama%2FLlama-3.1-8B", "/v1beta/models/a%2Fb:embedContent"]) {
      expect((await fetch(url + path)).status).toBe(200);
      expect(there.seen.at(-1)!.request.url).toBe(path);
    }
  });

  it("goes to the upstream that speaks its format, though no model is named or listed", async () => {
    const openai = await upstream((_, __, response) => response.end('{"data":[]}'));
    const anthropic = await upstream((_, __, response) => response.end('{"data":[]}'));
    const { url } = await gateway({
      upstreams: [
        {
          name: "a",
          baseURL: anthropic.url,
          dialects: ["anthropic-messages"],
          models: ["claude-*"],
          apiKey: "ka",
        },
        { name: "o", baseURL: openai.url, dialects: ["openai-chat"], models: ["gpt-*"], apiKey: "ko" },
      ],
    });
    await post(`${url}/v1/embeddings`, '{"model":"text-embedding-3-small","input":"x"}');
    await fetch(`${url}/v1/files`);
    expect(openai.seen.map(({ request }) => request.url)).toEqual(["/v1/embeddings", "/v1/files"]);
    expect(openai.seen[0]!.request.headers.authorization).toBe("Bearer ko");
    await fetch(`${url}/v1/files`, { headers: { "anthropic-version": "2023-06-01" } });
    await fetch(`${url}/v1/messages/batches`);
    await fetch(`${url}/v1/models/claude-opus-5`, { headers: { "anthropic-version": "2023-06-01" } });
    expect(anthropic.seen.map(({ request }) => [request.url, request.headers["x-api-key"]])).toEqual([
      ["/v1/files", "ka"],
      ["/v1/messages/batches", "ka"],
      ["/v1/models/claude-opus-5", "ka"],
    ]);
  });

  it("lists the models of one upstream that takes only some", async () => {
    const there = await upstream((_, __, response) =>
      response.end('{"object":"list","data":[{"id":"gpt-4o"}]}'),
    );
    const { url } = await gateway(upstreamAt(there.url, { models: ["gpt-*"] }));
    expect(await (await fetch(`${url}/v1/models`)).json()).toMatchObject({ data: [{ id: "gpt-4o" }] });
    const none = await gateway({});
    expect((await fetch(`${none.url}/v1/models`)).status).toBe(503);
  });

  it("lists the models of upstreams that answer, and says why where none does", async () => {
    const there = await upstream((_, __, response) =>
      response.end('{"object":"list","data":[{"id":"gpt-4o"}]}'),
    );
    const closed = await upstream((_, __, response) => {
      response.statusCode = 401;
      response.end("{}");
    });
    const config = (first: string) => ({
      upstreams: [
        { name: "a", baseURL: first },
        { name: "b", baseURL: closed.url },
      ],
    });
    const some = await gateway(config(there.url));
    expect(await (await fetch(`${some.url}/v1/models`)).json()).toMatchObject({ data: [{ id: "gpt-4o" }] });
    const none = await gateway(config("http://127.0.0.1:9"));
    const response = await fetch(`${none.url}/v1/models`);
    expect(response.status).toBe(502);
    expect(await response.text()).toMatch(/a \(.*can't be reached.*\); b \(it answered 401\)/);
  });

  it("is told as broken off, not as out of reach, if the upstream breaks off its answer", async () => {
    const there = await upstream((_, __, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"id"', () => response.destroy());
    });
    const { url } = await gateway(upstreamAt(there.url));
    const response = await post(`${url}/v1/chat/completions`, CHAT);
    expect(response.status).toBe(502);
    expect(await response.text()).toContain("broke off its answer");
  });

  it("keeps the query of the upstream's address, and the client's", async () => {
    // A summary that isn't one in the words of the API would be asked for again and again, with pauses.
    const text = "## Goal\nSay a.";
    const there = await upstream((request, _, response) => {
      const path = request.url!.split("?")[0];
      if (path === "/openai/v1/responses")
        response.end(
          JSON.stringify({
            output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }],
          }),
        );
      else if (path === "/openai/v1/messages")
        response.end(
          JSON.stringify({ type: "message", role: "assistant", content: [{ type: "text", text }] }),
        );
      else response.end(ANSWER);
    });
    const { url } = await gateway(
      upstreamAt(`${there.url}/openai/v1?api-version=preview`, { windows: { m: "32k" } }),
    );
    await post(`${url}/v1/chat/completions`, CHAT);
    await fetch(`${url}/v1/files?limit=2`);
    for (const path of ["/v1/responses/compact", "/v1/messages"]) {
      // A summary of the same words by the same model would be known already.
      const said = [{ role: "user", content: `a ${path}` }];
      const summarize = { compaction: { type: "summarize" }, max_tokens: 9 };
      await post(url + path, { model: "m", input: said, messages: said, ...summarize });
    }
    // Summaries are asked for at the same address.
    expect([...new Set(there.seen.map(({ request }) => request.url))]).toEqual([
      "/openai/v1/chat/completions?api-version=preview",
      "/openai/v1/files?limit=2&api-version=preview",
      "/openai/v1/responses?api-version=preview",
      "/openai/v1/messages?api-version=preview",
    ]);
  });
});
