import { countingCache } from "../stream/caches/counting-cache.ts";
import { openLlamaCpp } from "../stream/open-llama-cpp.ts";
import { PLAY_DEFAULTS, playRecording, type Recording, readRecordings } from "../stream/recording.ts";
import type { Timeline } from "../stream/timeline.ts";
import type { KvCache } from "../stream/types.ts";
import { exactCounter } from "../tokens/index.ts";
import { UsageError } from "./flags.ts";
import { readLines } from "./read-lines.ts";
import type { RunOf } from "./run.ts";
import { type StreamFacts, streamReport, streamTotals } from "./stream/text-report.ts";

export async function stream(run: RunOf<"stream">): Promise<void> {
  const { strategy, window = PLAY_DEFAULTS.window, reserve, pick = 1, tokensPerFrame, model } = run.options;
  const file = run.args[0]!;
  const recording = await recordingIn(file, pick, run);
  const { cache, close } = await openCache(model, window);
  const started = performance.now();
  const { timeline, ...played } = await playRecording(recording, {
    cache,
    strategy,
    window,
    reserve,
    tokensPerFrame,
    onEvent: async () => run.io.signal.throwIfAborted(),
  }).finally(close);
  const facts: StreamFacts = {
    file: file.split("/").at(-1) ?? file,
    cache: cache.id,
    ...played,
    elapsedMs: performance.now() - started,
  };
  run.print(streamJson(facts, timeline), () => streamReport(facts, timeline, run.look));
}

async function recordingIn(file: string, pick: number, { io }: RunOf<"stream">): Promise<Recording> {
  const lines: string[] = [];
  for await (const line of readLines(file, io, () => {})) lines.push(line);
  const recordings = readRecordings(lines);
  if (recordings.length === 0) throw new UsageError(`${file} holds no recording.`);
  const recording = recordings[pick - 1];
  if (recording !== undefined) return recording;
  throw new UsageError(`--pick ${pick}: the file holds ${recordings.length} recording(s).`);
}

async function openCache(
  model: string | undefined,
  window: number,
): Promise<{ readonly cache: KvCache; readonly close: () => Promise<void> }> {
  if (model !== undefined) return openLlamaCpp({ model, window });
  return { cache: countingCache({ counter: await exactCounter("o200k_base") }), close: async () => {} };
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
