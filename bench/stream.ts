/**
 * An hour of video at two frames a second under each strategy, on a cache without a model that takes a millisecond per
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

const FPS = 2;
const SECONDS = 3_600;
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
for (const strategy of streamStrategies) rows.push(await hour(strategy));
if (values.json) console.log(JSON.stringify({ hour: rows }, null, 2));
else console.table(rows);

async function hour(strategy: StreamStrategyName) {
  const fed = new Array<number>(QUARTERS).fill(0);
  let quarter = 0;
  const cache = slow(countingCache({ counter }), (tokens) => {
    fed[quarter]! += tokens;
  });
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
  const frames = SECONDS * FPS;
  const stepMs: number[][] = Array.from({ length: QUARTERS }, () => []);
  const heap: number[] = [];
  const started = performance.now();
  for (let frame = 0; frame < frames; frame++) {
    quarter = Math.floor((frame * QUARTERS) / frames);
    const before = performance.now();
    await session.push({ type: "frames" });
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
    "tokens fed, first quarter": fed[0],
    "tokens fed, last quarter": fed.at(-1),
    "heap, first quarter, MB": round(heap[0]! / 2 ** 20),
    "heap, last quarter, MB": round(heap.at(-1)! / 2 ** 20),
  };
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
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
