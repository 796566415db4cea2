import { expect, it } from "vitest";
import type { ChatMessage } from "../../src/apis/index.ts";
import { startFakeProvider, summarizingReply } from "../../src/testing/index.ts";
import { session } from "../support/host.ts";
import { ANSWER_CAP, compactions, createPlayer } from "./player.ts";

/** OpenAI reports cached tokens in multiples of this. */
const CACHE_STEP = 128;
const isContinuation = (text: string) => text.includes("This message comes from the program");

it("a continuation reads its input from the prompt cache, and between compactions the view is a cached prefix", async () => {
  const summary = summarizingReply({ when: ({ lastUser }) => isContinuation(lastUser) });
  const provider = await startFakeProvider({ reply: summary });
  const player = createPlayer(provider, { window: 32_000, continues: true, patient: true });
  try {
    await player.play(session(160).messages as ChatMessage[]);
    const asked = provider.requests.filter(({ lastUser }) => isContinuation(lastUser));
    expect(asked.length).toBeGreaterThan(0);
    for (const { tokens } of asked) expect(tokens.cacheRead / tokens.input).toBeGreaterThanOrEqual(0.9);
    expect(compactions(player).flatMap(({ report }) => report.modelCalls.map(({ rung }) => rung))).toContain(
      "continuation",
    );
    const own = provider.requests.filter(({ cap }) => cap === ANSWER_CAP);
    let compared = 0;
    for (const [turn, { tokens }] of own.entries()) {
      const before = own[turn - 1];
      if (!before || player.results[turn]?.report.outcome === "compacted" || before.tokens.input < 4_000)
        continue;
      // All of the request before it is a prefix of this one; the provider counts cached tokens in steps.
      expect((tokens.cacheRead + CACHE_STEP) / before.tokens.input).toBeGreaterThanOrEqual(0.99);
      compared++;
    }
    expect(compared).toBeGreaterThan(20);
  } finally {
    await player.close();
    await provider.close();
  }
});
