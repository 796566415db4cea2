import { once } from "node:events";
import { createServer, get, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { abortOnClose } from "../../src/gateway/turn/read.ts";
import { relayStream } from "../../src/gateway/turn/relay.ts";
import { Answer } from "../../src/gateway/upstream/answer.ts";

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

const source = { pause() {}, resume() {}, abort() {} };

/** An answer that broke off before anybody read it. */
function brokenAnswer(): Answer {
  const answer = new Answer(200, {}, source, 60_000);
  answer.push(Buffer.from("data: 1\n\n"));
  answer.fail(new Error("the connection broke"));
  return answer;
}

/** An answer that had come whole before anybody read it. */
function unreadAnswer(): Answer {
  const answer = new Answer(200, {}, source, 60_000);
  answer.push(Buffer.from("data: 1\n\ndata: [DONE]\n\n"));
  answer.finish();
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
  await expect(brokenAnswer().whole(100)).rejects.toThrow("the connection broke");
  const response = await abandonedResponse();
  let commits = 0;
  const commit = async () => {
    commits++;
  };
  for (const answer of [brokenAnswer(), unreadAnswer()])
    expect(await relayStream({ answer, response, endMarkers: ["[DONE]"], most: 100, commit })).toBe("broken");
  expect(commits).toBe(0);
});

it("are noticed though they left while their request was looked at", async () => {
  const response = await abandonedResponse();
  expect(abortOnClose(response).aborted).toBe(true);
});
