import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ANSWER_TEXT, STREAMED } from "./bodies.ts";

/** A provider that answers at once, or after about as many milliseconds as it was told: one JSON, or 20 events. */

let delayMs = 0;
process.on("message", (word: { readonly delayMs: number }) => {
  delayMs = word.delayMs;
});
/** Answers take from this share of the delay to as much more than it, so that clients don't march in step. */
const LEAST_SHARE = 0.75;
const STEPS = 11;
let answered = 0;

const ANSWER = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-4o",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: ANSWER_TEXT },
      finish_reason: "stop",
    },
  ],
  usage: { prompt_tokens: 500, completion_tokens: 100, total_tokens: 600 },
});
const delta = (content: string) =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", choices: [{ index: 0, delta: { content } }] })}\n\n`;

const answer = (response: ServerResponse, streams: boolean): void => {
  if (!streams) {
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(ANSWER),
    });
    response.end(ANSWER);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const word of STREAMED) response.write(delta(word));
  response.end("data: [DONE]\n\n");
};
const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    const streams = pieces[0]?.subarray(0, 40).includes('"stream":true') ?? false;
    if (delayMs === 0) {
      answer(response, streams);
      return;
    }
    const share = LEAST_SHARE + (2 * (1 - LEAST_SHARE) * (answered++ % STEPS)) / (STEPS - 1);
    setTimeout(answer, delayMs * share, response, streams);
  });
});
server.listen(0, "127.0.0.1", () =>
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);

// Whoever started it is gone.
process.on("disconnect", () => process.exit(0));
