/**
 * Recorded dialogues come with a progress note at each turn of the assistant. How many of its words does the context
 * hold, under each strategy, without a model? All turns together hold about 55 % of them; that is the ceiling. Labels
 * that code writes don't count.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readText } from "../../src/eval/node/data-files.ts";
import { contentWords } from "../../src/eval/words.ts";
import { countingCache } from "../../src/stream/caches/counting-cache.ts";
import { createStreamSession } from "../../src/stream/create-stream-session.ts";
import { type Recording, readRecordings, replayRecording } from "../../src/stream/recording.ts";
import { streamStrategies } from "../../src/stream/settings.ts";
import type { StreamSession, StreamStrategyName } from "../../src/stream/types.ts";
import { exactCounter } from "../../src/tokens/index.ts";

const data = fileURLToPath(new URL("../../../shared/data/proassist/dialogues.jsonl.gz", import.meta.url));
/** Small enough that every dialogue is managed several times. */
const WINDOW = 1_536;
const TOKENS_PER_FRAME = 10;
const TAIL = 256;
/** Of the noted words that all turns together hold. */
const LEAST = 0.95;
const LABELS =
  /Progress record .*? by the user\.|Goal, in the user's words|Steps so far, as the assistant said them|Other topics mentioned by the user|Current step/gs;

const words = (text: string): Set<string> => new Set(contentWords(text));
const shown = (session: StreamSession): string =>
  [...session.contents().map(({ item }) => item), ...session.pending()]
    .map((item) => (item.type === "turn" ? item.text : ""))
    .join("\n")
    .replace(LABELS, "");

async function measure(recordings: readonly Recording[], strategy: StreamStrategyName) {
  const counter = await exactCounter("o200k_base");
  let [points, held, ceiling, managed] = [0, 0, 0, 0];
  for (const recording of recordings) {
    const session = createStreamSession({
      cache: countingCache({ counter }),
      window: WINDOW,
      strategy,
      tokensPerFrame: TOKENS_PER_FRAME,
      tail: TAIL,
      speak: false,
    });
    let said = "";
    await replayRecording(recording, session, (event) => {
      if (event.type !== "turn") return;
      said += `${event.text}\n`;
      if (event.progress === undefined) return;
      const noted = words(event.progress);
      const reachable = noted.intersection(words(said));
      held += reachable.intersection(words(shown(session))).size / noted.size;
      ceiling += reachable.size / noted.size;
      points++;
    });
    managed += session.trace.length;
  }
  return { points, managed, held: held / points, ceiling: ceiling / points };
}

if (existsSync(data)) {
  test("strategies that summarise hold at least 95 % of what all turns hold", async () => {
    const recordings = readRecordings(readText(data).split("\n"));
    const results = new Map<StreamStrategyName, Awaited<ReturnType<typeof measure>>>();
    for (const strategy of streamStrategies) results.set(strategy, await measure(recordings, strategy));
    for (const [strategy, { held, ceiling, managed }] of results)
      console.log(
        `${strategy.padEnd(20)} ${(held * 100).toFixed(1)} % of ${(ceiling * 100).toFixed(1)} %, managed ${managed} times`,
      );
    for (const strategy of ["summarize-and-drop", "summarize-and-keep", "state"] as const) {
      const { held, ceiling, managed } = results.get(strategy)!;
      expect(managed).toBeGreaterThanOrEqual(recordings.length);
      expect(held).toBeGreaterThanOrEqual(ceiling * LEAST);
    }
    // The others forget, or the measure measures nothing.
    expect(results.get("drop-all")!.held).toBeLessThan(results.get("drop-all")!.ceiling * 0.8);
  });
} else {
  test("strategies that summarise hold at least 95 % of what all turns hold", ({ skip }) => {
    console.log("skipped: no data");
    skip();
  });
}
