import { afterEach, expect, it } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";

/** Pieces that don't end where base64 does. */
const SOUND = [Buffer.from("RIFF.first"), Buffer.from("and the rest")];
const SPOKEN = {
  id: "audio_1",
  expires_at: 1_900_000_000,
  data: Buffer.concat(SOUND).toString("base64"),
  transcript: "Good morning to you.",
};
const QUESTION = { role: "user", content: "Say good morning." };

let upstream: OwnUpstream;
let gateway: Awaited<ReturnType<typeof startGateway>>;
afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

/** Answers aloud, in one piece or as events. */
async function start(): Promise<void> {
  upstream = await startUpstream((request, body, response) => {
    if (request.method === "GET") return void response.writeHead(404).end();
    if (!(JSON.parse(body.toString()) as { stream?: boolean }).stream) {
      const message = { role: "assistant", content: null, audio: SPOKEN };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
      return;
    }
    const [first, rest] = SOUND.map((piece) => piece.toString("base64"));
    const deltas = [
      { role: "assistant", audio: { id: SPOKEN.id, transcript: "Good morning" } },
      { audio: { transcript: " to you." } },
      { audio: { data: first } },
      { audio: { data: rest } },
      { audio: { expires_at: SPOKEN.expires_at } },
    ];
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const delta of deltas)
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  gateway = await startGateway({ ...upstreamAt(upstream.url), summarizer: "extractive" });
}

it.each([true, false])(
  "a spoken answer is kept whole, and who sends back only its id goes on with it (streamed: %s)",
  async (stream) => {
    await start();
    const { conversations } = gateway.gateway.store;
    const ask = async (...messages: object[]) => {
      const body = { model: "gpt-audio", modalities: ["text", "audio"], stream, messages };
      const response = await post(`${gateway.url}/v1/chat/completions`, body);
      expect(response.status).toBe(200);
      await response.text();
    };
    await ask(QUESTION);
    const [first] = (await conversations.list("default")).conversations;
    const stored = await conversations.read("default", first!.id);
    expect(stored.map(({ wire }) => JSON.parse(wire))[1]).toEqual({
      role: "assistant",
      content: null,
      audio: SPOKEN,
    });
    await ask(
      QUESTION,
      { role: "assistant", audio: { id: SPOKEN.id } },
      { role: "user", content: "And good night?" },
    );
    const all = (await conversations.list("default")).conversations;
    expect(all.map(({ id, length }) => ({ id, length }))).toEqual([{ id: first!.id, length: 4 }]);
  },
);
