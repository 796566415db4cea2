/** A server that reserves the whole answer refuses a summary request whose answer has no room in the window. */
import { expect, it } from "vitest";
import { summarizingReply } from "../../src/testing/fake-provider/index.ts";
import { startBoth } from "../gateway/gateway-process.ts";

const TURNS = 60;
const ANSWER = `Noted. ${"This goes with what was said before it. ".repeat(8)}`;
const WINDOW = 12_000;
/** A server's count differs from ours, so some of its window stays free. */
const MOST_FILLED = 0.95;
const question = (turn: number, lines: number) =>
  `Question ${turn}: what of part ${turn * 7}? ${`Its value is ${turn * 31} and it stands in row ${turn}. `.repeat(lines)}`;

it.each([40, 80])(
  "questions of %i lines: a request for a summary leaves room for its answer",
  async (lines) => {
    const { provider, gateway } = await startBoth(
      { window: WINDOW },
      { window: WINDOW, reply: summarizingReply({ otherwise: ANSWER }) },
    );
    const messages: object[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      messages.push({ role: "user", content: question(turn, lines) });
      const response = await fetch(`${gateway.url}/ollama/api/chat`, {
        method: "POST",
        body: JSON.stringify({ model: "qwen3:8b", stream: false, messages }),
      });
      const { message } = (await response.json()) as { readonly message: object };
      messages.push(message);
      await gateway.gateway.compactors.settled();
    }
    expect(provider.requests.map(({ error }) => error).filter(Boolean)).toEqual([]);
    const summaries = provider.requests.filter(({ body }) => typeof body["max_tokens"] === "number");
    expect(summaries.length).toBeGreaterThan(3);
    for (const { tokens, body } of summaries)
      expect(tokens.input + Number(body["max_tokens"])).toBeLessThan(WINDOW * MOST_FILLED);
  },
);
