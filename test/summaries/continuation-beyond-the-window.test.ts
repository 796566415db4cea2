/**
 * A summary by continuation is asked for behind the conversation's last request, all of it. A summariser may have a smaller window
 * than the conversation, though its model has the same name: served elsewhere, or with less room. A server that cuts what is too long
 * without a word would then have a summary written of the end alone.
 */
import { afterEach, expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { openaiCompatible } from "../../src/models/index.ts";
import { type FakeProvider, startFakeProvider, summarizingReply } from "../../src/testing/index.ts";
import { tokensOf } from "../attack/judge-view.ts";
import { session, talk } from "../support/host.ts";
import { byProof } from "../support/proof.ts";
import { gatedModel } from "./gated-model.ts";
import { createPlayer, type Player } from "./player.ts";

/** The conversation's window, and one of the summariser that doesn't hold a full view of it (tokens). */
const LONG = { window: 32_000, rounds: 240 };
const { window: WINDOW, rounds: ROUNDS } = byProof({
  sample: { window: 16_000, rounds: 120 },
  more: LONG,
  all: LONG,
});
const SMALL = WINDOW / 2;

const isContinuation = (text: string) => text.includes("This message comes from the program");

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Plays a conversation whose summaries are written by the same model at another server, with a window of its own. */
async function play(
  window: number,
  told: number | undefined,
): Promise<{ player: Player; asked: FakeProvider }> {
  const provider = await startFakeProvider();
  closing.push(() => provider.close());
  const writer = await startFakeProvider({ window, reply: summarizingReply({ when: () => true }) });
  closing.push(() => writer.close());
  const summarizer = openaiCompatible({
    baseURL: `${writer.url}/v1`,
    apiKey: "key",
    model: "test-model",
    retry: { attempts: 1 },
    ...(told !== undefined && { window: told }),
  });
  const player = createPlayer(provider, { window: WINDOW, continues: true, patient: true, summarizer });
  closing.push(() => player.close());
  await player.play(session(ROUNDS).messages as ChatMessage[]);
  return { player, asked: writer };
}

it("the last request isn't continued where it doesn't fit the summariser's window", async () => {
  const { player, asked } = await play(SMALL, SMALL);
  expect(asked.requests.length).toBeGreaterThan(1);
  expect(asked.requests.filter(({ lastUser }) => isContinuation(lastUser))).toEqual([]);
  expect(asked.requests.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
  expect(player.failures).toEqual([]);
  expect(player.state!.summaries.length).toBeGreaterThan(0);
});

it("the last request is continued where it fits, with its question and its answer", async () => {
  const { asked } = await play(WINDOW, WINDOW);
  const continued = asked.requests.filter(({ lastUser }) => isContinuation(lastUser));
  expect(continued.length).toBeGreaterThan(0);
  for (const { status, tokens, cap } of continued) {
    expect(status).toBe(200);
    expect(tokens.input + cap!).toBeLessThanOrEqual(WINDOW);
  }
});

it("a summariser of the same model that tells no window has the conversation's", async () => {
  const { asked } = await play(WINDOW, undefined);
  expect(asked.requests.some(({ lastUser }) => isContinuation(lastUser))).toBe(true);
});

it("notes beside the summary count: with them the last request must fit, too", async () => {
  const window = 32_000;
  const model = gatedModel({ id: "test-model", window, continues: "openai-chat" });
  const compactor = createCompactor({
    dialect: openaiChat,
    window,
    reserve: 0,
    safety: 0,
    startAt: 0.9,
    summarizer: model,
  });
  const system: ChatMessage = { role: "system", content: `${"Rule. ".repeat(12_500)}End.` };
  const messages: ChatMessage[] = [system];
  let sent: readonly ChatMessage[] = [];
  let tokens = 0;
  for (const message of talk(140)) {
    messages.push(message);
    if (message.role !== "user") continue;
    const asked = model.requests.length;
    const request = { model: "test-model", messages: sent };
    const result = await compactor.fit(messages, { request, now: messages.length });
    await compactor.settled();
    for (const { continues, cap, messages: question } of model.requests.slice(asked))
      if (continues !== undefined)
        expect(tokens + tokensOf(question[0]!.text) + cap).toBeLessThanOrEqual(window);
    sent = result.messages;
    tokens = result.report.tokens.after;
  }
  await compactor.close();
  expect(model.requests.some(({ messages }) => messages[0]!.text.includes("<notes>"))).toBe(true);
});
