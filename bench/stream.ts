/**
 * An hour of video at two frames a second under each strategy, on a cache with a stub model that takes a millisecond per
 * step: what managing it costs, and whether steps, tokens and memory stay flat.
 *
 *   node bench/stream.ts [--json]
 */
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  countingCache,
  createStreamSession,
  type KvCache,
  type StreamStrategyName,
  streamStrategies,
} from "../src/stream/index.ts";
import { exactCounter } from "../src/tokens/index.ts";
import { median, round } from "./support/statistics.ts";
import { writeResult } from "./support/write-result.ts";

const FPS = 2;
const SECONDS = 3_600;
const WARM_UP_SECONDS = 600;
const WINDOW = 4_096;
const TOKENS_PER_FRAME = 10;
/** What a fast model would take for a frame. */
const STEP_MS = 1;
/** The assistant says something every so many frames, the user asks something every so many. */
const SAYS_EVERY = 40;
const ASKS_EVERY = 600;
const QUARTERS = 4;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const counter = await exactCounter("o200k_base");
const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });

const rows = [];
for (const strategy of streamStrategies) {
  // The first management of a process pays for compiling what it runs through.
  await watch(strategy, WARM_UP_SECONDS);
  rows.push(await watch(strategy, SECONDS));
}
if (values.json) writeResult({ hour: rows });
else console.table(rows);

async function watch(strategy: StreamStrategyName, seconds: number) {
  let fed = 0;
  let quarter = 0;
  const cache = slow(countingCache({ counter, answer: stubModel }), (tokens) => {
    fed += tokens;
  });
  /** Frames seen and tokens fed when the cache was managed. */
  const cycles: { readonly frame: number; readonly fed: number; readonly quarter: number }[] = [];
  const session = createStreamSession({
    cache,
    window: WINDOW,
    strategy,
    tokensPerFrame: TOKENS_PER_FRAME,
    speak: false,
    systemPrompt: "You watch a repair and help.",
  });
  await session.push({
    type: "turn",
    role: "user",
    text: "I want to overhaul the gears of my bike before noon.",
  });
  const frames = seconds * FPS;
  const stepMs: number[][] = Array.from({ length: QUARTERS }, () => []);
  const heap: number[] = [];
  const started = performance.now();
  for (let frame = 0; frame < frames; frame++) {
    quarter = Math.floor((frame * QUARTERS) / frames);
    const before = performance.now();
    const { managed } = await session.push({ type: "frames" });
    if (managed.length > 0) cycles.push({ frame, fed, quarter });
    stepMs[quarter]!.push(performance.now() - before);
    if (frame % SAYS_EVERY === 0)
      await session.push({
        type: "turn",
        role: "assistant",
        text: `Now clean part ${frame} and look at bolt ${frame + 7}.`,
      });
    if (frame % ASKS_EVERY === 0)
      await session.push({ type: "turn", role: "user", text: `Is part ${frame} worn out?` });
    if ((frame + 1) % (frames / QUARTERS) === 0) {
      collect();
      heap.push(process.memoryUsage().heapUsed);
    }
  }
  const allMs = performance.now() - started;
  const managementMs = session.trace.reduce((sum, entry) => sum + entry.durationMs, 0);
  return {
    strategy,
    managed: session.trace.length,
    "management, ms": round(managementMs),
    "of all time, %": round((managementMs / allMs) * 100),
    "slowest, ms": round(Math.max(...session.trace.map((entry) => entry.durationMs))),
    "step, first quarter, ms": round(median(stepMs[0]!)),
    "step, last quarter, ms": round(median(stepMs.at(-1)!)),
    // By whole cycles from one management to the next. The first ones are cheaper: their summaries have little to say yet.
    "tokens per frame, at first": round(perFrame(cycles, 0)),
    "second quarter": round(perFrame(cycles, 1)),
    "last quarter": round(perFrame(cycles, QUARTERS - 1)),
    "heap, first quarter, MB": round(heap[0]! / 2 ** 20),
    "heap, last quarter, MB": round(heap.at(-1)! / 2 ** 20),
  };
}

/** What a frame cost in tokens, in the cycles that ended in a quarter of the hour. */
function perFrame(
  cycles: readonly { readonly frame: number; readonly fed: number; readonly quarter: number }[],
  quarter: number,
): number {
  const inside = cycles.flatMap((cycle, index) => {
    const before = cycles[index - 1];
    return before === undefined || cycle.quarter !== quarter
      ? []
      : [(cycle.fed - before.fed) / (cycle.frame - before.frame)];
  });
  return inside.reduce((sum, value) => sum + value, 0) / inside.length;
}

/** Answers a question about the progress; says nothing else. */
function stubModel(_: unknown, request: { readonly name: string }): string | undefined {
  return request.name === "stream-summary"
    ? "The goal is to overhaul the gears. The chain is off and the wheel is clean. The cassette is being looked at."
    : undefined;
}

/** The cache, as slow as a model would be. */
function slow(cache: KvCache, onTokens: (tokens: number) => void): KvCache {
  return {
    ...cache,
    get length() {
      return cache.length;
    },
    async feed(items) {
      const before = cache.length;
      await wait(STEP_MS);
      await cache.feed(items);
      onTokens(cache.length - before);
    },
    async generate(request) {
      await wait(STEP_MS);
      return cache.generate(request);
    },
  };
}
