import { expect, it } from "vitest";
import { narrativeOf } from "../../src/engine/plan/narrative.ts";
import { chat, startFakeProvider, summarizingReply } from "../../src/testing/index.ts";
import { talk } from "../support/host.ts";
import { byProof } from "../support/proof.ts";
import { compactions, createPlayer } from "./player.ts";

const SHORT = { turns: 160, compactionCount: 11 };
const LONG = { turns: 700, compactionCount: 50 };
const { turns, compactionCount } = byProof({ sample: SHORT, more: LONG, all: LONG });

it.each([
  // In so small a room one record speaks for everything.
  ["one record that goes on", {}, turns, compactionCount],
  // Segments have no room there for many: what the first ones say is trimmed away in the long run (decision 0040).
  ["segments", { summary: { merge: "segments" } }, SHORT.turns, SHORT.compactionCount],
] as const)(
  "%s: a fact of the first segment is still in the view after many compactions",
  async (_, options, length, least) => {
    const provider = await startFakeProvider({ reply: summarizingReply({ mustKeep: ["PORT-48213"] }) });
    const player = createPlayer(provider, { budget: 4_000, patient: true, ...options });
    try {
      await player.play([
        chat.system("You help."),
        chat.user("The service listens on PORT-48213, remember that."),
        chat.assistant("Noted."),
        ...talk(length),
      ]);
      const applied = compactions(player);
      expect(applied.length).toBeGreaterThanOrEqual(least);
      expect(JSON.stringify(player.results.at(-1)?.messages)).toContain("PORT-48213");
      const summaries = player.state?.summaries ?? [];
      const segments = Math.max(...applied.map(({ report }) => report.modelCalls.length), applied.length);
      const hashes = summaries.reduce<string[]>((chain, one) => {
        chain[one.covers.to] = one.hash;
        return chain;
      }, []);
      const narrative = narrativeOf(summaries, hashes, hashes.length);
      const rewrites = Math.max(0, ...narrative.records.map(({ level }) => level + 1));
      if ("summary" in options)
        expect(rewrites).toBeLessThanOrEqual(1 + Math.ceil(Math.log(segments) / Math.log(8)));
      // Each time it takes in what is new counts.
      else
        expect(narrative.records.map(({ level }) => level)).toEqual([expect.toSatisfy((level) => level > 3)]);
    } finally {
      await player.close();
      await provider.close();
    }
  },
);
