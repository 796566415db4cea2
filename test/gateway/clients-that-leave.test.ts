import { once } from "node:events";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { relayStream } from "../../src/gateway/relay/relay-stream.ts";
import { readAll } from "../../src/gateway/upstream/read-all.ts";
import { abortOnClose } from "../../src/gateway/v1/open-exchange.ts";

let answering: (response: ServerResponse) => void;
const server = createServer((_, response) => answering(response));
let url: string;
beforeEach(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

/** An answer that had come whole when its client left, before anybody read it. */
async function unreadAnswer(): Promise<IncomingMessage> {
  answering = (response) => response.end("data: 1\n\ndata: [DONE]\n\n");
  const [answer] = (await once(get(url), "response")) as [IncomingMessage];
  while (!answer.complete) await new Promise((resolve) => setTimeout(resolve, 5));
  answer.destroy();
  if (!answer.closed) await once(answer, "close");
  return answer;
}

/** A response whose client has left. */
async function abandonedResponse(): Promise<ServerResponse> {
  const arrived = new Promise<ServerResponse>((resolve) => {
    answering = resolve;
  });
  const request = get(url).on("error", () => {});
  const response = await arrived;
  request.destroy();
  if (!response.closed) await once(response, "close");
  return response;
}

it("don't leave anybody waiting for an answer that nobody read", async () => {
  const answer = await unreadAnswer();
  await expect(readAll(answer, "there")).rejects.toThrow("broke off");
  const stream = await unreadAnswer();
  const response = await abandonedResponse();
  const commit = async () => {};
  expect(await relayStream({ answer: stream, response, endMarkers: ["[DONE]"], commit })).toBe("broken");
});

it("are noticed though they left while their request was looked at", async () => {
  const response = await abandonedResponse();
  expect(abortOnClose(response).aborted).toBe(true);
});
