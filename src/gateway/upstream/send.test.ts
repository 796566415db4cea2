import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import type { Answer } from "./answer.ts";
import { send } from "./send.ts";
import { createUpstream } from "./upstream.ts";
import { UpstreamFault } from "./upstream-fault.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Asks an upstream that does as it is told with each connection. */
async function ask(serve: (socket: Socket) => void): Promise<Answer> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    socket.once("data", () => serve(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const upstream = createUpstream({ name: "there", baseURL: `http://127.0.0.1:${port}`, timeoutMs: 5_000 });
  closing.push(async () => {
    await upstream.pool.destroy();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { signal } = new AbortController();
  return send({ upstream, method: "GET", path: "/", headers: {}, body: undefined, signal });
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** More than waits for a reader before the upstream has to wait, and less than a socket reads ahead (bytes). */
const UNREAD_BYTES = 70_000;

it("survives a reset while an answer of unknown length waits for its reader", async () => {
  let wasReset = () => {};
  const reset = new Promise<void>((resolve) => (wasReset = resolve));
  const answer = await ask(async (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
    for (let sent = 0; sent < UNREAD_BYTES; sent += 10_000) {
      socket.write(Buffer.alloc(10_000, "x"));
      await wait(10);
    }
    await wait(50);
    socket.resetAndDestroy();
    wasReset();
  });
  await reset;
  await wait(50);
  const pieces: Buffer[] = [];
  const cause = await new Promise((resolve) => {
    answer.read({ piece: (bytes) => pieces.push(bytes), end: () => resolve("end"), broken: resolve });
  });
  expect(cause).toBeInstanceOf(UpstreamFault);
  expect((cause as UpstreamFault).kind).toBe("broken");
  expect(Buffer.concat(pieces).length).toBe(UNREAD_BYTES);
});

it("reads an answer that nobody looked at before it was whole", async () => {
  const answer = await ask((socket) => socket.end("HTTP/1.0 200 OK\r\n\r\nhello"));
  await wait(50);
  const { bytes, isWhole } = await answer.whole(100);
  expect([bytes.toString(), isWhole]).toEqual(["hello", true]);
});
