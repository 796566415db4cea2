import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function gatewayTo(
  answer: (request: IncomingMessage, body: Buffer, response: ServerResponse) => void,
  config: object = {},
): Promise<{ readonly there: OwnUpstream; readonly running: Awaited<ReturnType<typeof startGateway>> }> {
  const there = await startUpstream(answer);
  closing.push(() => there.close());
  const running = await startGateway({ ...upstreamAt(there.url), ...config });
  closing.push(() => running.close());
  return { there, running };
}

const CHAT = { model: "gpt-4o", stream: true, messages: [{ role: "user", content: "hi" }] };
const delta = (content: string) =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content } }] })}\n\n`;

/** Reads a stream until a text has come. */
async function readUntil(response: Response, text: string): Promise<string> {
  let seen = "";
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  while (!seen.includes(text)) {
    const { value, done } = await reader.read();
    if (done) break;
    seen += value;
  }
  await reader.cancel();
  return seen;
}

describe("the last event of a stream", () => {
  it("isn't one that the model only writes about", async () => {
    const { running } = await gatewayTo((_, __, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(delta("It ends with data: [DONE]"));
      // Never ends: what was said must come all the same.
      response.write(delta(" as you know."));
    });
    const response = await post(`${running.url}/v1/chat/completions`, CHAT);
    expect(await readUntil(response, "as you know.")).toContain("[DONE]");
  });

  const LAST = [
    ["/v1/chat/completions", CHAT, "data:[DONE]\n\n"],
    ["/v1/messages", CHAT, 'event:message_stop\ndata:{"type":"message_stop"}\n\n'],
    [
      "/v1/responses",
      { model: "m", stream: true, input: "hi" },
      'data: {"type":"response.completed","response":{}}\n\n',
    ],
  ] as const;
  it.each(
    LAST.flatMap(([path, body, last]) =>
      ["\n", "\r\n", "\r"].map((end) => [path, end, body, last.replaceAll("\n", end)] as const),
    ),
  )(
    "comes through at once, though the upstream keeps the connection open: %s, %j",
    async (path, end, body, last) => {
      const { running } = await gatewayTo((_, __, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(delta("Hello.").replaceAll("\n", end));
        // In two pieces, as a network may deliver it.
        response.write(last.slice(0, 9));
        setTimeout(() => response.write(last.slice(9)), 20);
      });
      const response = await post(running.url + path, body);
      expect(await readUntil(response, last)).toContain(last);
    },
  );

  it.each(
    ["\n", "\r\n", "\r"].flatMap((end) =>
      LAST.map(([path, , last]) => [path, end, last.replaceAll("\n", end)] as const),
    ),
  )("waits for the store, however it is written: %s, %j", async (path, end, last) => {
    const { running } = await gatewayTo((_, __, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(delta("Hello.").replaceAll("\n", end));
      response.end(last);
    });
    const { conversations } = running.gateway.store;
    const append = conversations.append.bind(conversations);
    let isStored = false;
    conversations.append = async (...args) => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      isStored = true;
      return append(...args);
    };
    const response = await post(running.url + path, { ...CHAT, input: "hi" });
    await readUntil(response, last);
    expect(isStored).toBe(true);
  });

  it("is enough: an upstream that breaks the connection behind it broke nothing", async () => {
    const { running } = await gatewayTo((_, __, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(delta("Hello."));
      response.write("data: [DONE]\n\n");
      setTimeout(() => response.destroy(), 20);
    });
    const response = await post(`${running.url}/v1/chat/completions`, CHAT);
    expect(await response.text()).toContain("[DONE]");
  });
});

describe("a stream that ends in an error", () => {
  const error = { type: "overloaded_error", message: "Overloaded" };
  const block = {
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: "Half of an ans" },
  };
  it.each([
    [
      "/v1/chat/completions",
      `${delta("Half of an ans")}data: ${JSON.stringify({ error })}\n\ndata: [DONE]\n\n`,
    ],
    [
      "/v1/messages",
      `data: ${JSON.stringify(block)}\n\nevent: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`,
    ],
    [
      "/v1/responses",
      `data: ${JSON.stringify({ type: "response.failed", response: { id: "r", output: [], error } })}\n\n`,
    ],
  ])("leaves no half of an answer behind: %s", async (path, failing) => {
    const { running, there } = await gatewayTo((_, __, response) => {
      response.writeHead(200, {
        "content-type": there.seen.length === 1 ? "text/event-stream" : "application/json",
      });
      const message = { role: "assistant", content: "All of it." };
      const output = [
        {
          type: "message",
          id: "m",
          role: "assistant",
          content: [{ type: "output_text", text: "All of it." }],
        },
      ];
      const whole = {
        id: "x",
        choices: [{ index: 0, message }],
        content: [{ type: "text", text: "All of it." }],
        output,
      };
      response.end(there.seen.length === 1 ? failing : JSON.stringify(whole));
    });
    const body = { ...CHAT, input: "hi" };
    expect(await (await post(running.url + path, body)).text()).toBe(failing);
    await (await post(running.url + path, body)).text();
    const { conversations } = running.gateway.store;
    const found = (await conversations.list("default")).conversations;
    expect(found.map(({ length }) => length)).toEqual([2]);
    const stored = await conversations.read("default", found[0]!.id);
    expect(stored[1]!.wire).toContain("All of it.");
  });
});

describe("a streamed tool call", () => {
  const call = (piece: object, index: number | undefined = 0) => ({
    ...(index !== undefined && { index }),
    ...piece,
  });
  const start = { id: "call_1", type: "function", function: { name: "look", arguments: "" } };
  it.each([
    [
      "with its name once",
      [call(start), call({ function: { arguments: '{"at":' } }), call({ function: { arguments: "1}" } })],
    ],
    [
      "with its name in every piece",
      [
        call(start),
        call({ id: "call_1", function: { name: "look", arguments: '{"at":' } }),
        call({ id: "call_1", function: { name: "look", arguments: "1}" } }),
      ],
    ],
    [
      "in one piece without an index",
      [call({ ...start, function: { name: "look", arguments: '{"at":1}' } }, undefined)],
    ],
  ])("is stored as the client sends it back: %s", async (_, pieces) => {
    const { running } = await gatewayTo((__, ___, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const piece of pieces)
        response.write(
          `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { tool_calls: [piece] } }] })}\n\n`,
        );
      response.end("data: [DONE]\n\n");
    });
    await (await post(`${running.url}/v1/chat/completions`, CHAT)).text();
    const whole = { id: "call_1", type: "function", function: { name: "look", arguments: '{"at":1}' } };
    const messages = [
      ...CHAT.messages,
      { role: "assistant", content: null, tool_calls: [whole] },
      { role: "tool", tool_call_id: "call_1", content: "Seen." },
    ];
    await (await post(`${running.url}/v1/chat/completions`, { ...CHAT, messages })).text();
    const { conversations } = await running.gateway.store.conversations.list("default");
    expect(conversations.map(({ length }) => length)).toEqual([4]);
  });
});

describe("compressed answers", () => {
  const answer = JSON.stringify({
    id: "x",
    choices: [{ index: 0, message: { role: "assistant", content: "Stored all the same." } }],
  });

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ] as const)("are stored, and passed on as they are: %s", async (name, compress) => {
    const { running, there } = await gatewayTo((_, __, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": name });
      response.end(compress(answer));
    });
    const { port } = new URL(running.url);
    const body = JSON.stringify({ ...CHAT, stream: false });
    const socket = connect(Number(port), "127.0.0.1");
    // An encoding that nobody knows is among those that the client takes.
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\naccept-encoding: ${name}, odd;q=0.5\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    const pieces: Buffer[] = [];
    socket.on("data", (piece: Buffer) => pieces.push(piece));
    await once(socket, "close");
    expect(Buffer.concat(pieces).includes(compress(answer))).toBe(true);
    expect(there.seen[0]!.request.headers["accept-encoding"]).toBe(name);
    const { conversations } = running.gateway.store;
    const [found] = (await conversations.list("default")).conversations;
    const stored = await conversations.read("default", found!.id);
    expect(stored.map(({ wire }) => wire).join()).toContain("Stored all the same.");
  });

  it("aren't asked for where the answer is a stream", async () => {
    const { running, there } = await gatewayTo((_, __, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`${delta("Hello.")}data: [DONE]\n\n`);
    });
    await (await post(`${running.url}/v1/chat/completions`, CHAT, { "accept-encoding": "gzip, br" })).text();
    expect(there.seen[0]!.request.headers["accept-encoding"]).toBe("identity");
  });
});

it("puts a call of the older form together, so that its conversation goes on", async () => {
  const pieces = [{ name: "weather", arguments: "" }, { arguments: '{"city":' }, { arguments: '"Rome"}' }];
  const { running } = await gatewayTo((_, body, response) => {
    if (!JSON.parse(body.toString()).stream) {
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ id: "d", choices: [{ message: { role: "assistant", content: "Sunny." } }] }),
      );
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const function_call of pieces) {
      const event = {
        id: "c",
        choices: [{ index: 0, delta: { role: "assistant", content: null, function_call } }],
      };
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  });
  const url = `${running.url}/v1/chat/completions`;
  const first = await post(url, CHAT);
  await first.text();
  const call = {
    role: "assistant",
    content: null,
    function_call: { name: "weather", arguments: '{"city":"Rome"}' },
  };
  const result = { role: "function", name: "weather", content: "Sun." };
  const second = await post(url, { ...CHAT, stream: false, messages: [...CHAT.messages, call, result] });
  await second.text();
  expect(second.headers.get("x-precis-session")).toBe(first.headers.get("x-precis-session"));
  const { conversations } = await running.gateway.store.conversations.list("default");
  expect(conversations.map(({ length }) => length)).toEqual([4]);
  const stored = await running.gateway.store.conversations.read("default", conversations[0]!.id);
  expect(JSON.parse(stored[1]!.wire)).toEqual(call);
});
