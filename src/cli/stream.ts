import { setTimeout as wait } from "node:timers/promises";
import { countingCache } from "../stream/caches/counting-cache.ts";
import { openLlamaCpp } from "../stream/open-llama-cpp.ts";
import { PLAY_DEFAULTS, playRecording } from "../stream/play-recording.ts";
import { type Recording, readRecordings } from "../stream/recording.ts";
import { streamStrategies } from "../stream/strategies.ts";
import type { Timeline } from "../stream/timeline.ts";
import type { KvCache } from "../stream/types.ts";
import { exactCounter } from "../tokens/index.ts";
import type { Io } from "./io.ts";
import { lookOf } from "./paint.ts";
import { type CommandLine, oneFile, oneOf, type ParsedFlags, UsageError } from "./parse-flags.ts";
import { parseCount, parseTokens } from "./parse-tokens.ts";
import { readLines } from "./read-lines.ts";
import { cacheChart } from "./stream/chart.ts";
import { streamPage } from "./stream/html.ts";
import { type StreamFacts, streamReport, streamTotals } from "./stream/text-report.ts";
import { writeOutput } from "./write-output.ts";

/** Redrawing more often than this is wasted. */
const REDRAW_MS = 100;

export const streamLine: CommandLine = {
  name: "stream",
  summary:
    "Replays a recorded stream of frames and turns on a KV cache and shows when it was managed, and how.",
  usage: "precis stream FILE [flags]",
  flags: {
    strategy: {
      value: "S",
      help: `how a full cache is made smaller: ${streamStrategies.join(", ")} (default: ${PLAY_DEFAULTS.strategy})`,
    },
    window: { value: "N", help: `the cache's size in tokens (default: ${PLAY_DEFAULTS.window})` },
    reserve: { value: "N", help: "tokens kept free (default: what the strategy needs)" },
    "tokens-per-frame": {
      value: "N",
      help: `tokens of one frame (default: as recorded, otherwise ${PLAY_DEFAULTS.tokensPerFrame})`,
    },
    pick: { value: "N", help: "which recording of a file that holds several, from 1" },
    model: {
      value: "GGUF",
      help: "a local model that writes the summaries (needs the package node-llama-cpp)",
    },
    speed: { value: "N", help: "N times real time (default: as fast as possible)" },
    html: { value: "OUT", help: "write the timeline as a page, too" },
    json: { help: "print the timeline as JSON" },
  },
  notes: [
    'FILE is JSONL: one recording per line ({"fps": 2, "conversation": […]}), or one event per line ({"role": "frames", "start": 0, "end": 4}, {"role": "user", "time": 2, "content": "…"}).',
    "Without --model no model is called: a summary is put together from the recording's own turns.",
  ],
  examples: [
    "precis stream recording.jsonl --strategy drop-middle",
    "precis stream recording.jsonl --window 2k --html timeline.html",
    "precis stream recording.jsonl --speed 60",
  ],
};

export async function streamCommand(flags: ParsedFlags, io: Io): Promise<void> {
  const file = oneFile(streamLine, flags);
  const strategy = oneOf("strategy", flags.value("strategy"), streamStrategies);
  const window = flags.parsed("window", parseTokens) ?? PLAY_DEFAULTS.window;
  const reserve = flags.parsed("reserve", parseTokens);
  const speed = flags.parsed("speed", parsePositive);
  const recording = pick(await recordingsOf(file, io), flags.parsed("pick", parseCount) ?? 1);
  const tokensPerFrame = flags.parsed("tokens-per-frame", parseCount);
  const { cache, close } = await openCache(flags.value("model"), window);
  const live = liveChart(io, flags.has("json"), lengthOf(recording));
  const started = performance.now();
  let pausedMs = 0;
  const onEvent = async (soFar: () => Timeline): Promise<void> => {
    io.signal.throwIfAborted();
    live.draw(soFar);
    if (speed === undefined) return;
    const ahead = (soFar().status.time / speed) * 1_000 - (performance.now() - started);
    if (ahead <= 0) return;
    pausedMs += ahead;
    await wait(ahead, undefined, { signal: io.signal });
  };
  const { timeline, ...played } = await playRecording(recording, {
    cache,
    strategy,
    window,
    reserve,
    tokensPerFrame,
    onEvent,
  }).finally(async () => {
    live.clear();
    await close();
  });
  const facts: StreamFacts = {
    file: file.split("/").at(-1) ?? file,
    cache: cache.id,
    ...played,
    elapsedMs: performance.now() - started - pausedMs,
  };
  const html = flags.value("html");
  if (html !== undefined) await writeOutput("html", html, file, streamPage(facts, timeline));
  if (flags.has("json")) io.stdout.write(`${JSON.stringify(streamJson(facts, timeline))}\n`);
  else io.stdout.write(streamReport(facts, timeline, lookOf(io.stdout, io.env)));
  if (html !== undefined) io.stderr.write(`precis: wrote ${html}\n`);
}

async function recordingsOf(file: string, io: Io): Promise<Recording[]> {
  const lines: string[] = [];
  for await (const line of readLines(file, io, () => {})) lines.push(line);
  const recordings = readRecordings(lines);
  if (recordings.length === 0) throw new UsageError(`${file} holds no recording.`);
  return recordings;
}

function pick(recordings: readonly Recording[], number: number): Recording {
  const recording = recordings[number - 1];
  if (recording === undefined)
    throw new UsageError(`--pick ${number}: the file holds ${recordings.length} recording(s).`);
  return recording;
}

async function openCache(
  model: string | undefined,
  window: number,
): Promise<{ readonly cache: KvCache; readonly close: () => Promise<void> }> {
  if (model !== undefined) return openLlamaCpp({ model, window });
  return { cache: countingCache({ counter: await exactCounter("o200k_base") }), close: async () => {} };
}

/** The chart while the stream runs, on a terminal only. */
function liveChart(
  io: Io,
  json: boolean,
  seconds: number,
): { draw(soFar: () => Timeline): void; clear(): void } {
  if (io.stderr.isTTY !== true || json) return { draw: () => {}, clear: () => {} };
  let height = 0;
  let last = Number.NEGATIVE_INFINITY;
  const up = (): string => (height > 0 ? `\u001b[${height}A\u001b[J` : "");
  return {
    draw(soFar) {
      if (performance.now() - last < REDRAW_MS) return;
      last = performance.now();
      const lines = cacheChart(soFar(), { ...lookOf(io.stderr, io.env), seconds });
      io.stderr.write(`${up()}${lines.join("\n")}\n`);
      height = lines.length;
    },
    clear() {
      io.stderr.write(up());
      height = 0;
    },
  };
}

/** Seconds of a recording, as far as its events tell. */
const lengthOf = ({ events }: Recording): number => Math.max(0, ...events.map(({ time }) => time ?? 0));

function parsePositive(flag: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new UsageError(`--${flag} "${text}" is not a number above 0.`);
}

/** Raised when a field of `StreamJson` changes its meaning or goes; new fields don't raise it. */
const STREAM_FORMAT = "precis-stream/1";

/** What `precis stream --json` prints; `docs/reference/stream-json.md` describes it field by field. */
export interface StreamJson extends StreamFacts, Timeline {
  readonly format: typeof STREAM_FORMAT;
  readonly totals: ReturnType<typeof streamTotals>;
}

function streamJson(facts: StreamFacts, { status, points, said, managed }: Timeline): StreamJson {
  const totals = streamTotals(facts, { status, points, said, managed });
  return { format: STREAM_FORMAT, ...facts, totals, status, points, said, managed };
}
