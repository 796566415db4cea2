/**
 * A summary by continuation is asked for behind the conversation's last request, all of it. A summariser may have a smaller window
 * than the conversation, though its model has the same name: served elsewhere, or with less room. A server that cuts what is too long
 * without a word would then have a summary written of the end alone.
 */
import { afterEach, expect, it } from "vitest";
import type { ChatMessage } from "../../src/dialects/index.ts";
import { openaiCompatible } from "../../src/models/index.ts";
import { type FakeProvider, startFakeProvider, summarizingReply } from "../../src/testing/index.ts";
import { session } from "../support/host.ts";
import { byProof } from "../support/proof.ts";
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
