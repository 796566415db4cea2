import { expect, it, onTestFinished } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { post, startUpstream } from "./own-upstream.ts";

const LEVELS = 100_000;
const DEEP = `{"x":${"[".repeat(LEVELS)}${"]".repeat(LEVELS)}}`;
const call = { index: 0, id: "a", type: "function", function: { name: "f", arguments: DEEP } };

it.each([true, false])(
  "arguments that are nested 100,000 deep end neither the answer nor the server (streamed: %s)",
  async (stream) => {
    const there = await startUpstream((_, __, response) => {
      const message = { role: "assistant", content: "x", tool_calls: [call] };
      response.setHeader("content-type", stream ? "text/event-stream" : "application/json");
      response.end(
        stream
          ? `data: ${JSON.stringify({ choices: [{ index: 0, delta: message }] })}\n\ndata: [DONE]\n\n`
          : JSON.stringify({ choices: [{ index: 0, message }] }),
      );
    });
    const gateway = await startGateway(upstreamAt(there.url));
    onTestFinished(async () => {
      await gateway.close();
      await there.close();
    });
    const asked = { model: "m", stream, messages: [{ role: "user", content: "hi" }] };
    const text = await (await post(`${gateway.url}/ollama/api/chat`, asked)).text();
    expect(text).toContain(`"arguments":${DEEP}`);
    expect(text).toContain('"done":true');
  },
);
