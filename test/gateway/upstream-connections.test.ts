import { request as httpRequest, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const CHAT = '{"model":"gpt-4o","messages":[{"role":"user","content":"hello"}]}';
const STREAM = CHAT.replace("{", '{"stream":true,');
const ANSWER = '{"choices":[{"index":0,"message":{"role":"assistant","content":"hi"}}]}';
const OK = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${ANSWER.length}\r\n\r\n${ANSWER}`;
const EVENTS = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
const HEAD_END = "\r\n\r\n";

/** One connection to an upstream: what it got. */
interface Line {
  readonly socket: Socket;
  readonly requests: string[];
}

interface RawUpstream {
  readonly url: string;
  readonly lines: readonly Line[];
  /** How many requests came over each connection. */
  counts(): number[];
}

/** An upstream that speaks in bytes. `answer` is called for each request that came whole, `nth` on its connection. */
async function rawUpstream(
  answer: (socket: Socket, nth: number, request: string) => void,
): Promise<RawUpstream> {
  const lines: Line[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const line: Line = { socket, requests: [] };
    lines.push(line);
    socket.on("error", () => {});
    socket.on("end", () => socket.end());
    let got = "";
    socket.on("data", (bytes) => {
      got += bytes.toString("latin1");
      const end = got.indexOf(HEAD_END) + HEAD_END.length;
      const length = Number(/content-length: (\d+)/i.exec(got)?.[1] ?? 0);
      if (end < HEAD_END.length || got.length < end + length) return;
      line.requests.push(got.slice(0, end + length));
      got = got.slice(end + length);
      answer(socket, line.requests.length, line.requests.at(-1)!);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(async () => {
    for (const { socket } of lines) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lines,
    counts: () => lines.map(({ requests }) => requests.length),
  };
}

async function gatewayTo(there: RawUpstream, more: object = {}): Promise<string> {
  const running = await startGateway(upstreamAt(there.url, more));
  closing.push(() => running.close());
  return running.url;
}

const ask = (url: string, headers: Record<string, string> = {}) =>
  post(`${url}/v1/chat/completions`, CHAT, headers);
/** With it a request may be carried out twice. */
const ONCE = { "idempotency-key": "one" };
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
};

type End = (socket: Socket) => unknown;
const fin: End = (socket) => socket.end();
const rst: End = (socket) => socket.resetAndDestroy();
const ENDS: readonly (readonly [string, End])[] = [
  ["closed", fin],
  ["reset", rst],
];

describe("a connection that was kept open", () => {
  it.each(ENDS)("and is %s between two requests costs none of them", async (_, end) => {
    const there = await rawUpstream((socket) => socket.write(OK));
    const url = await gatewayTo(there);
    expect((await ask(url)).status).toBe(200);
    const { socket } = there.lines[0]!;
    end(socket);
    await until(() => socket.destroyed);
    expect((await ask(url)).status).toBe(200);
    expect(there.counts()).toEqual([1, 1]);
  });

  it.each(ENDS)("and is %s as a request comes: that may be paid for and isn't sent twice", async (_, end) => {
    const there = await rawUpstream((socket, nth) => (nth === 2 ? end(socket) : socket.write(OK)));
    const url = await gatewayTo(there);
    expect((await ask(url)).status).toBe(200);
    const response = await ask(url);
    expect(response.status).toBe(502);
    expect(await response.text()).toContain("it closed the connection");
    expect(there.counts()).toEqual([2]);
  });

  it.each(ENDS)("and is %s as a request comes that may be carried out twice: it is", async (_, end) => {
    const there = await rawUpstream((socket, nth) => (nth === 2 ? end(socket) : socket.write(OK)));
    const url = await gatewayTo(there);
    expect((await ask(url)).status).toBe(200);
    expect(await (await ask(url, ONCE)).text()).toBe(ANSWER);
    expect(there.counts()).toEqual([2, 1]);
  });

  it.each(ENDS)("and is %s, and so is the next one: no third time", async (_, end) => {
    let asked = 0;
    const there = await rawUpstream((socket) => (++asked > 1 ? end(socket) : socket.write(OK)));
    const url = await gatewayTo(there);
    expect((await ask(url)).status).toBe(200);
    const response = await ask(url, ONCE);
    expect(response.status).toBe(502);
    expect(await response.text()).toContain("it closed the connection");
    expect(there.counts()).toEqual([2, 1]);
  });

  it("and ends after an answer has begun: the request isn't sent again", async () => {
    for (const begun of [
      "HTTP/1.1 2",
      "H",
      "HTTP/1.1 100 Continue\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\n\r\n",
    ]) {
      const there = await rawUpstream((socket, nth) => (nth === 2 ? socket.end(begun) : socket.write(OK)));
      const url = await gatewayTo(there);
      expect((await ask(url)).status).toBe(200);
      expect((await ask(url)).status).toBe(502);
      expect(there.counts()).toEqual([2]);
    }
  });

  it("isn't used again by an upstream that answered without reading the request", async () => {
    const there = await rawUpstream(() => {});
    const url = await gatewayTo(there);
    const refuse = async () => {
      const before = there.lines.length;
      const asked = post(`${url}/v1/files`, Buffer.alloc(20_000_000));
      await until(() => there.lines.length > before);
      const { socket } = there.lines.at(-1)!;
      socket.pause();
      socket.write("HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\n{}");
      return (await asked).status;
    };
    expect(await refuse()).toBe(413);
    expect(await refuse()).toBe(413);
  });
});

describe("a connection that is new", () => {
  it.each([
    ["ends at once", ""],
    ["ends in the head of its answer", "HTTP/1.1 200 OK\r\ncontent-ty"],
    ["ends after a hint", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"],
  ])("and %s gets a request only once", async (_, bytes) => {
    for (const end of [fin, rst]) {
      const there = await rawUpstream((socket) => {
        if (bytes !== "") socket.write(bytes);
        setTimeout(() => end(socket), 20);
      });
      const url = await gatewayTo(there);
      expect((await ask(url)).status).toBe(502);
      expect(there.counts()).toEqual([1]);
    }
  });
});

describe("an answer", () => {
  it.each([
    ["100 Continue", `HTTP/1.1 100 Continue\r\n\r\n${OK}`],
    [
      "several hints",
      `HTTP/1.1 100 Continue\r\nx: y\r\n\r\n${"HTTP/1.1 102 Processing\r\n\r\n".repeat(3)}${OK}`,
    ],
  ])("may follow %s", async (_, bytes) => {
    const there = await rawUpstream((socket) => socket.write(bytes));
    const url = await gatewayTo(there);
    expect(await (await ask(url)).text()).toBe(ANSWER);
    expect(await (await ask(url)).text()).toBe(ANSWER);
    expect(there.counts()).toEqual([2]);
  });

  it("may follow 100 Continue that comes byte by byte", async () => {
    const there = await rawUpstream(async (socket) => {
      for (const byte of `HTTP/1.1 100 Continue\r\n\r\n${OK.slice(0, 20)}`) {
        socket.write(byte);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      socket.write(OK.slice(20));
    });
    const url = await gatewayTo(there);
    expect(await (await ask(url)).text()).toBe(ANSWER);
  });

  it("may say that nothing was modified, and how long it would have been", async () => {
    const there = await rawUpstream((socket) =>
      socket.write("HTTP/1.1 304 Not Modified\r\ncontent-length: 77\r\netag: x\r\n\r\n"),
    );
    const url = await gatewayTo(there);
    expect((await fetch(`${url}/v1/files/x/content`)).status).toBe(304);
  });

  it("of unknown length that ends in a reset isn't whole", async () => {
    const there = await rawUpstream((socket) => {
      socket.write(`${EVENTS}data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n`);
      setTimeout(() => socket.resetAndDestroy(), 30);
    });
    const url = await gatewayTo(there);
    const response = await post(`${url}/v1/chat/completions`, STREAM);
    expect(await response.text()).toContain("broke off its answer");
  });

  it("that is reset while its client doesn't read breaks off, and everything else goes on", async () => {
    const piece = Buffer.alloc(64 * 1024, "x");
    let isStuck = false;
    const there = await rawUpstream((socket, _, request) => {
      if (request.startsWith("POST")) {
        socket.write(OK);
        return;
      }
      socket.write(EVENTS);
      const more = (): void => {
        while (socket.write(piece));
        const timer = setTimeout(() => {
          isStuck = true;
          socket.resetAndDestroy();
        }, 100);
        socket.once("drain", () => {
          clearTimeout(timer);
          more();
        });
      };
      more();
    });
    const url = await gatewayTo(there);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      httpRequest(`${url}/v1/files/x/content`, { agent: false }, resolve).on("error", reject).end();
    });
    answer.on("error", () => {});
    await until(() => isStuck);
    answer.resume();
    await new Promise((resolve) => answer.on("close", resolve));
    expect(answer.complete).toBe(false);
    expect((await ask(url)).status).toBe(200);
  });

  it("that ends right after its head is told as broken off, whatever was asked for", async () => {
    const there = await rawUpstream((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n"));
    const url = await gatewayTo(there);
    for (const path of ["/v1/chat/completions", "/v1/embeddings"]) {
      const response = await post(url + path, CHAT);
      expect(response.status).toBe(502);
      expect(await response.text()).toContain("broke off its answer (it closed the connection)");
    }
  });

  it.each([
    ["hello, this is no HTTP\r\n\r\n", "its answer isn't HTTP"],
    [`HTTP/1.1 200 OK\r\nx-long: ${"a".repeat(20_000)}\r\n\r\n`, "the head of its answer is too long"],
  ])("that can't be read is told in words", async (bytes, words) => {
    const there = await rawUpstream((socket) => socket.write(bytes));
    const response = await ask(await gatewayTo(there));
    expect(response.status).toBe(502);
    expect(await response.text()).toContain(words);
  });

  it("can't come if the upstream's key can't be sent", async () => {
    const there = await rawUpstream((socket) => socket.write(OK));
    const response = await ask(await gatewayTo(there, { apiKey: "key\nkey" }));
    expect(response.status).toBe(502);
    expect(await response.text()).toMatch(/invalid authorization header.*Check its apiKey/);
    expect(there.lines).toEqual([]);
  });
});

describe("a client that leaves", () => {
  it.each([
    ["before the answer", ""],
    ["in the middle of it", `${EVENTS}data: {}\n\n`],
  ])("%s takes its connection to the upstream with it, and none is opened again", async (_, bytes) => {
    const there = await rawUpstream((socket) => {
      if (bytes !== "") socket.write(bytes);
    });
    const url = await gatewayTo(there);
    const { port } = new URL(url);
    for (let n = 1; n <= 3; n++) {
      const client = connect(Number(port), "127.0.0.1");
      client.write(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${STREAM.length}\r\n\r\n${STREAM}`,
      );
      await until(() => there.counts().length === n && there.counts()[n - 1] === 1);
      client.destroy();
      await until(() => there.lines.every(({ socket }) => socket.destroyed));
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(there.counts()).toEqual([1, 1, 1]);
  });
});
