import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { startGateway } from "../gateway/gateway-process.ts";

/** Longer than any test may take: a stop that waits for its end fails. */
const LONG_DRAIN = "1h";

it("a server that stops doesn't wait for connections over which nothing ever came", async () => {
  const gateway = await startGateway({ limits: { drainMs: LONG_DRAIN } });
  const { hostname, port } = new URL(gateway.url);
  const accepted = once(gateway.server, "connection");
  const ahead = connect(Number(port), hostname);
  await accepted;
  // One that has been used is idle, and ends as well.
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
  await Promise.all([gateway.close(), once(ahead, "close")]);
});

it("a request whose beginning has come is waited for", async () => {
  const gateway = await startGateway({ limits: { drainMs: LONG_DRAIN } });
  const { hostname, port } = new URL(gateway.url);
  const accepted = once(gateway.server, "connection");
  const slow = connect(Number(port), hostname);
  const [socket] = await accepted;
  slow.write("GET /healthz HTTP/1.1\r\n");
  await expect.poll(() => socket.bytesRead).toBeGreaterThan(0);
  const closed = gateway.close();
  let answer = "";
  slow.on("data", (piece: Buffer) => (answer += piece.toString()));
  slow.write("host: localhost\r\nconnection: close\r\n\r\n");
  await Promise.all([closed, once(slow, "close")]);
  expect(answer).toMatch(/^HTTP\/1.1 \d{3} /);
});
