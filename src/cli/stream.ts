import { RUNG_WORDS } from "../core/words.ts";
import type { Report } from "../eval/report/report.ts";
import { countingCache } from "../stream/caches/counting-cache.ts";
import { openLlamaCpp } from "../stream/caches/llama-cpp.ts";
import { PLAY_DEFAULTS, playRecording, type Recording, readRecordings } from "../stream/recording.ts";
import type { KvCache, StreamTrace } from "../stream/types.ts";
import { formatSeconds, type Played, STREAM_WORDS, sawtooth, type Timeline } from "../stream/words.ts";
import { exactCounter } from "../tokens/index.ts";
import { UsageError } from "./flags.ts";
import { formatCount, formatShort } from "./format.ts";
import { readLines } from "./read-lines.ts";
import { reportText } from "./report-text.ts";
import type { RunOf } from "./run.ts";

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
  run.print(streamJson(facts, timeline), () => reportText(streamReport(facts, timeline), run.look));
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

/** Facts about a replayed stream that text and JSON show. */
interface StreamFacts extends Omit<Played, "timeline"> {
  readonly file: string;
  readonly cache: string;
  /** Time of the whole replay, in milliseconds. */
  readonly elapsedMs: number;
}

/** Managements of the cache that are listed; more are counted. */
const MAX_LISTED = 40;

function streamReport(facts: StreamFacts, timeline: Timeline): Report {
  const { status, managed } = timeline;
  const { largest, dropped, managementMs } = streamTotals(facts, timeline);
  const more = managed.length - MAX_LISTED;
  const summary = managed.at(-1)?.summary;
  return {
    kind: "precis stream",
    title: facts.file,
    facts: [
      formatSeconds(status.time),
      `${formatCount(status.frames)} frames`,
      `${formatCount(facts.turns)} turns`,
      `${STREAM_WORDS.strategies[facts.strategy]} (${facts.strategy})`,
      `window ${formatShort(status.window)}`,
      `compacts at ${formatCount(status.limit)}`,
      `${facts.tokensPerFrame} tokens per frame`,
    ],
    blocks: [
      {
        is: "chart",
        title: "Tokens in the cache",
        lines: [{ label: "cache", points: sawtooth(timeline).map(({ time, tokens }) => [time, tokens]) }],
        limits: [status.window],
        marks: managed.map(({ time }, at) => ({ x: time, label: `managed ${at + 1}` })),
        ends: ["start", formatSeconds(status.time)],
        top: status.window,
        format: formatShort,
      },
      managed.length === 0
        ? { is: "note", text: "The cache was never full." }
        : {
            is: "tiles",
            tiles: [
              { name: "managed", value: formatCount(managed.length), note: "times" },
              { name: "largest cache", value: formatCount(largest), note: "tokens" },
              { name: "left the cache", value: formatCount(dropped), note: "tokens" },
              { name: "compaction", value: managementMs.toFixed(1), note: "ms in total" },
            ],
          },
      ...managed
        .slice(0, MAX_LISTED)
        .map(
          (one, at) =>
            ({ is: "fold", id: `m${at + 1}`, title: managedWords(one), facts: [], blocks: [] }) as const,
        ),
      ...(more > 0 ? [{ is: "note", text: `and ${more} more` } as const] : []),
      ...(summary === undefined ? [] : [{ is: "text", title: "The newest summary", text: summary } as const]),
    ],
  };
}

function streamTotals(facts: StreamFacts, { points, managed }: Pick<Timeline, "points" | "managed">) {
  const managementMs = managed.reduce((sum, entry) => sum + entry.durationMs, 0);
  return {
    managed: managed.length,
    largest: Math.max(
      0,
      ...points.map(({ tokens }) => tokens),
      ...managed.map(({ tokens }) => tokens.before),
    ),
    dropped: managed.reduce((sum, { tokens }) => sum + tokens.before - tokens.after, 0),
    managementMs,
    managementShare: facts.elapsedMs > 0 ? managementMs / facts.elapsedMs : 0,
  };
}

function managedWords({ rungs, time, frame, tokens: { before, after }, action }: StreamTrace): string {
  const how = rungs?.find(({ result }) => result === "used")?.rung;
  const what =
    lower(STREAM_WORDS.actions[action]) + (how === undefined ? "" : ` (${lower(RUNG_WORDS[how])})`);
  return `${formatSeconds(time)}, frame ${formatCount(frame)}: ${formatShort(before)} → ${formatShort(after)}, ${what}`;
}

const lower = (label: string): string => label[0]!.toLowerCase() + label.slice(1);

/** Raised when a field of `StreamJson` changes its meaning or goes; new fields don't raise it. */
const STREAM_FORMAT = "precis-stream/1";

/** What `precis stream --json` prints; `docs/reference/stream-json.md` describes it field by field. */
export interface StreamJson extends StreamFacts, Timeline {
  readonly format: typeof STREAM_FORMAT;
  readonly totals: ReturnType<typeof streamTotals>;
}

function streamJson(facts: StreamFacts, { status, points, said, managed }: Timeline): StreamJson {
  const totals = streamTotals(facts, { points, managed });
  return { format: STREAM_FORMAT, ...facts, totals, status, points, said, managed };
}
