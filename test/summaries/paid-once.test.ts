import { afterAll, beforeAll, expect, it } from "vitest";
import type { State } from "../../src/core/types.ts";
import { chat, type FakeProvider, startFakeProvider, summarizingReply } from "../../src/testing/index.ts";
import { talk } from "../support/host.ts";
import { compactions, createPlayer, summaryRequests } from "./player.ts";

let provider: FakeProvider;
/** The conversation as it went the first time. */
let first: Awaited<ReturnType<typeof playWith>>;
beforeAll(async () => {
  provider = await startFakeProvider({ reply: summarizingReply() });
  first = await playWith(undefined);
});
afterAll(() => provider.close());

const WHOLE = [chat.system("You help."), ...talk(60)];

async function playWith(
  state: State | undefined,
  messages = WHOLE,
): Promise<{ paid: number; state: State | undefined }> {
  const before = summaryRequests(provider).length;
  const player = createPlayer(provider, { budget: 4_000, patient: true });
  player.state = state;
  await player.play(messages);
  if (!state) expect(compactions(player).length).toBeGreaterThan(2);
  await player.close();
  return { paid: summaryRequests(provider).length - before, state: player.state };
}

it("the same conversation again, in another process with the saved state, pays nothing", async () => {
  expect(first.paid).toBeGreaterThan(2);
  const again = await playWith(JSON.parse(JSON.stringify(first.state)) as State);
  expect(again.paid).toBe(0);
});

it("a fork in the middle pays only for what comes after the fork", async () => {
  const fork = [...WHOLE.slice(0, 90), ...talk(15, 500)];
  const forked = await playWith(first.state, fork);
  expect(forked.paid).toBeLessThan(first.paid / 2);
});

it("an edit near the end pays for nothing before it", async () => {
  const edited = [...WHOLE.slice(0, -1), chat.assistant("Another answer altogether.")];
  expect((await playWith(first.state, edited)).paid).toBe(0);
});
