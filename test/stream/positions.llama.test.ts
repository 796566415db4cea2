/**
 * After `drop-middle` the model must see the kept tokens as one text without a hole. With a single layer, what the cache
 * holds of a token depends on that token and its position alone, so the next token's chances must be those of a cache
 * that was fed the kept tokens from the start.
 */
import { expect, test } from "vitest";
import type { OpenedLlamaCpp } from "../../src/stream/caches/llama-cpp.ts";
import { createStreamSession } from "../../src/stream/create-stream-session.ts";
import { openTiny } from "./open-tiny.ts";

const WINDOW = 2_048;
/** Shifting turns keys by a rotation, in single precision. */
const CLOSE = 0.02;

async function chances({ sequence }: OpenedLlamaCpp): Promise<ReadonlyMap<number, number>> {
  const outputs = sequence.evaluateWithMetadata(
    [...sequence.model.tokenize("x", false)],
    { confidence: true, probabilities: true },
    { temperature: 1, yieldEogToken: true },
  );
  for await (const { probabilities } of outputs) return probabilities ?? new Map();
  throw new Error("no token came");
}

/** The largest difference, in units of the largest chance. */
function distance(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): number {
  const top = Math.max(...a.values());
  return Math.max(...[...a].map(([token, chance]) => Math.abs(chance - (b.get(token) ?? 0)))) / top;
}

test.each(["shift", "feed"] as const)("positions count on after drop-middle (%s)", async (positions) => {
  const model = { layers: 1, seed: 3 };
  const opened = await openTiny(model, { window: WINDOW, positions });
  const fresh = await openTiny(model, { window: WINDOW });
  try {
    const session = createStreamSession({
      cache: opened.cache,
      window: WINDOW,
      strategy: "drop-middle",
      tail: 200,
      tokensPerFrame: 3,
      speak: false,
      systemPrompt: "You watch.",
    });
    await session.push({ type: "turn", role: "user", text: "Watch the oven, please." });
    for (let turn = 0; turn < 12; turn++) {
      await session.push({ type: "frames", count: 20 });
      await session.push({ type: "turn", role: "caption", text: `The clock says ${turn} past nine.` });
    }
    await session.flush();
    const whole = opened.cache.tokens();
    const { kept } = await session.compact();
    expect(kept).toHaveLength(2);
    const tokens = opened.cache.tokens();
    expect(opened.sequence.nextTokenIndex).toBe(tokens.length);

    await fresh.sequence.evaluateWithoutGeneratingNewTokens([...tokens]);
    const wanted = await chances(fresh);
    expect(distance(wanted, await chances(opened))).toBeLessThan(CLOSE);

    // The measure tells a cache with the middle from one without.
    await fresh.sequence.clearHistory();
    await fresh.sequence.evaluateWithoutGeneratingNewTokens([...whole]);
    expect(distance(wanted, await chances(fresh))).toBeGreaterThan(CLOSE * 3);
  } finally {
    await opened.close();
    await fresh.close();
  }
});
