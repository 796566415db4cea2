/** Summaries ahead of time: asked for while the provider still has the prompt. */
import { expect, it, onTestFinished } from "vitest";
import { startPreparing } from "../../src/gateway/ops/upkeep.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";
import { startFakeProvider, summarizingReply } from "../../src/testing/fake-provider/index.ts";
import { exactCounter } from "../../src/tokens/index.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { fileText } from "./long-task.ts";
import { post } from "./own-upstream.ts";

const MINUTE = 60_000;
const MODEL = "gpt-4o";

it.each([
  ["default", {}],
  ["a team", { auth: { mode: "keys", keys: [{ name: "another", key: "a-key-of-someone-else" }] } }],
])("idle chats of %s are summarised ahead of time", async (tenant, auth) => {
  const provider = await startFakeProvider({ reply: summarizingReply({ otherwise: "OK." }), window: 8_000 });
  let now = Date.now();
  const running = await startGateway(
    { ...upstreamAt(provider.url, { apiKey: "server-key" }), window: 8_000, ...auth },
    { now: () => now },
  );
  const preparing = startPreparing(running.gateway);
  // Made with `--new-key --tenant`, so no config knows of it.
  const { key } = await running.gateway.store.clientKeys.create(tenant, { name: "laptop" });
  try {
    const messages = Array.from({ length: 41 }, (_, n) => ({
      role: n % 2 === 0 ? "user" : "assistant",
      content: `Message ${n} about part P-${n}00: ${"it was looked at and found to be in order. ".repeat(10)}`,
    }));
    const response = await fetch(`${running.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: MODEL, messages }),
    });
    await response.text();
    await running.gateway.compactors.settled();
    const before = provider.requests.length;
    expect(await preparing.look()).toBe(0);
    now += 4 * MINUTE;
    expect(await preparing.look()).toBe(1);
    expect(provider.requests.length).toBeGreaterThan(before);
    now += MINUTE;
    expect(await preparing.look()).toBe(0);
  } finally {
    preparing.stop();
    await running.close();
    await provider.close();
  }
});

const tools = [
  {
    type: "function",
    function: {
      name: "look_up",
      description: "Looks something up. ".repeat(40),
      parameters: { type: "object" },
    },
  },
];

/** Somebody who talks through a server, with pauses. */
async function talker(config: object, cache: object) {
  const clock = createFakeClock(Date.now());
  const { count } = await exactCounter("o200k_base");
  const reply = summarizingReply({
    when: ({ lastUser }) => !lastUser.startsWith("Question"),
    otherwise: ({ lastUser }) => `About it: ${fileText(lastUser.slice(0, 12)).slice(0, 900)}`,
  });
  const provider = await startFakeProvider({
    ...{ window: 400_000, reply, count, now: clock.now },
    cache,
  });
  const gateway = await startGateway(
    { ...upstreamAt(provider.url, { apiKey: "server-key" }), window: 30_000, summarizer: "same", ...config },
    { now: clock.now },
  );
  const preparing = startPreparing(gateway.gateway);
  onTestFinished(async () => {
    preparing.stop();
    await gateway.close();
    await provider.close();
  });
  const messages: object[] = [{ role: "system", content: "You answer briefly." }];
  let round = 0;
  const chat = async (messages: readonly object[]): Promise<string> => {
    const response = await post(`${gateway.url}/v1/chat/completions`, { model: MODEL, messages, tools });
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
    return choices[0]!.message.content;
  };
  return {
    provider,
    clock,
    look: preparing.look,
    async ask(times = 1) {
      for (let n = 0; n < times; n++) {
        messages.push({
          role: "user",
          content: `Question ${round}: ${fileText(`q${round}`).slice(0, 1_500)}`,
        });
        round++;
        messages.push({ role: "assistant", content: await chat(messages) });
        await gateway.gateway.compactors.settled();
        clock.advance(20_000);
      }
    },
  };
}

it("where the provider was seen to keep nothing, no summary is written ahead of time", async () => {
  const { clock, look, ask } = await talker({}, { minTokens: 1e9 });
  await ask(24);
  clock.advance(4 * MINUTE);
  expect(await look()).toBe(0);
});

it.each([
  ["five minutes, which nobody knows", {}, 5, 1, 4],
  ["an hour, as it is set", { cache: { ttlMs: 60 * MINUTE } }, 60, 20, 50],
])(
  "with a cache of %s, a summary ahead of time reads the last request from there",
  async (_, config, minutes, early, late) => {
    const { provider, clock, look, ask } = await talker(config, { ttlMs: minutes * MINUTE });
    await ask(16);
    const last = provider.requests.at(-1)!;
    clock.advance(early * MINUTE);
    expect(await look()).toBe(0);
    clock.advance((late - early) * MINUTE);
    expect(await look()).toBe(1);
    const summary = provider.requests.at(-1)!;
    expect(provider.requests.indexOf(summary)).toBe(16);
    expect(summary.tools).toEqual(last.tools);
    expect(summary.tokens.cacheRead).toBeGreaterThan(0.9 * last.tokens.input);
    // The cache is cold now: what it held isn't written anew, and the summary stands in its place.
    clock.advance(60 * MINUTE);
    expect(await look()).toBe(0);
    await ask();
    const { tokens, messages } = provider.requests.at(-1)!;
    expect(tokens.input).toBeLessThan(last.tokens.input);
    expect(messages.some(({ text }) => text.includes("The conversation began with"))).toBe(true);
  },
);
