import { expect, it } from "vitest";
import { narrativeOf, rewritesOf } from "../../src/engine/narrative.ts";
import { chat, startFakeProvider, summarizingReply } from "../../src/testing/index.ts";
import { talk } from "../support/host.ts";
import { byProof } from "../support/proof.ts";
import { compactions, createPlayer } from "./player.ts";

const LONG = { turns: 700, compactionCount: 50 };
const { turns, compactionCount } = byProof({
  sample: { turns: 160, compactionCount: 11 },
  more: LONG,
  all: LONG,
});

it(`a fact of the first segment is still in the view after ${compactionCount} compactions`, async () => {
  const provider = await startFakeProvider({ reply: summarizingReply({ mustKeep: ["PORT-48213"] }) });
  const player = createPlayer(provider, { budget: 4_000, patient: true });
  try {
    await player.play([
      chat.system("You help."),
      chat.user("The service listens on PORT-48213, remember that."),
      chat.assistant("Noted."),
      ...talk(turns),
    ]);
    const applied = compactions(player);
    expect(applied.length).toBeGreaterThanOrEqual(compactionCount);
    expect(JSON.stringify(player.results.at(-1)?.messages)).toContain("PORT-48213");
    const summaries = player.state?.summaries ?? [];
    const segments = Math.max(...applied.map(({ report }) => report.modelCalls.length), applied.length);
    const hashes = summaries.reduce<string[]>((chain, one) => {
      chain[one.covers.to] = one.hash;
      return chain;
    }, []);
    const narrative = narrativeOf(summaries, hashes, hashes.length);
    expect(rewritesOf(narrative)).toBeLessThanOrEqual(1 + Math.ceil(Math.log(segments) / Math.log(8)));
  } finally {
    await player.close();
    await provider.close();
  }
});
