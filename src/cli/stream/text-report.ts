import { RUNG_WORDS } from "../../core/words.ts";
import { formatSeconds } from "../../stream/format-seconds.ts";
import { type Played, sawtooth, type Timeline } from "../../stream/timeline.ts";
import type { StreamTrace } from "../../stream/types.ts";
import { STREAM_WORDS } from "../../stream/words.ts";
import { chartLines } from "../chart.ts";
import { formatCount, formatShort } from "../format.ts";
import type { Look, Paint } from "../paint.ts";
import { wrap } from "../wrap.ts";

/** Facts about a replayed stream that all reports show. */
export interface StreamFacts extends Omit<Played, "timeline"> {
  readonly file: string;
  readonly cache: string;
  /** Time of the whole replay, in milliseconds. */
  readonly elapsedMs: number;
}

/** Managements of the cache that are listed; more are counted. */
const MAX_LISTED = 40;

export function streamReport(facts: StreamFacts, timeline: Timeline, options: Look): string {
  const { columns, paint } = options;
  const { status, managed } = timeline;
  const lines = [
    paint("strong", facts.file),
    ...wrap(
      `${formatSeconds(status.time)}, ${formatCount(status.frames)} frames, ${formatCount(facts.turns)} turns`,
      columns,
    ),
    ...wrap(
      `${STREAM_WORDS.strategies[facts.strategy]} (${facts.strategy}), window ${formatShort(status.window)}, managed at ${formatCount(status.limit)}, ${facts.tokensPerFrame} tokens per frame`,
      columns,
    ).map((line) => paint("dim", line)),
    "",
    ...cacheChart(timeline, options),
    ...wrap("tokens in the cache over time, ▲ managed, ◆ several times", columns).map((line) =>
      paint("dim", line),
    ),
    "",
    ...totals(facts, timeline),
  ];
  if (managed.length > 0)
    lines.push("", ...managed.slice(0, MAX_LISTED).flatMap((entry) => entryLine(entry, columns, paint)));
  if (managed.length > MAX_LISTED) lines.push(paint("dim", `and ${managed.length - MAX_LISTED} more`));
  lines.push(...lastSummary(managed, columns, paint));
  return `${lines.join("\n")}\n`;
}

/** Where the cache is nearly full, as a share of what it may hold. */
const WARN_AT = 0.7;

/** Tokens in the cache over time, with a mark where it was managed. */
function cacheChart(timeline: Timeline, look: Look): string[] {
  const { status } = timeline;
  return chartLines(
    {
      points: sawtooth(timeline).map(({ time, tokens, order }) => ({
        x: time,
        y: tokens,
        // At the same time, what was managed comes before what came of it.
        marked: order === 0,
      })),
      end: Math.max(status.time, 1e-9),
      top: status.window,
      labels: [status.window, status.window / 2, 0].map((tokens) => [tokens, formatShort(tokens)] as const),
      toneOf(tokens) {
        const share = tokens / status.limit;
        return share < WARN_AT ? "good" : share < 1 ? "warn" : "bad";
      },
    },
    look,
  );
}

export function streamTotals(facts: StreamFacts, { points, managed }: Timeline) {
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

function totals(facts: StreamFacts, timeline: Timeline): string[] {
  const total = streamTotals(facts, timeline);
  if (total.managed === 0) return ["The cache was never full."];
  return [
    `managed        ${formatCount(total.managed)} times`,
    `largest cache  ${formatCount(total.largest)} tokens`,
    `left the cache ${formatCount(total.dropped)} tokens`,
    `management     ${total.managementMs.toFixed(1)} ms in all`,
  ];
}

function entryLine(entry: StreamTrace, columns: number, paint: Paint): string[] {
  const how = entry.rungs?.find(({ result }) => result === "used")?.rung;
  const { before, after } = entry.tokens;
  return wrap(
    `${paint("accent", "▲")} ${formatSeconds(entry.time)}, frame ${formatCount(entry.frame)}: ${formatShort(before)} → ${formatShort(after)}, ${lower(STREAM_WORDS.actions[entry.action])}${how === undefined ? "" : ` (${lower(RUNG_WORDS[how])})`}`,
    columns,
    2,
  );
}

const lower = (label: string): string => label[0]!.toLowerCase() + label.slice(1);

function lastSummary(managed: readonly StreamTrace[], columns: number, paint: Paint): string[] {
  const summary = managed.at(-1)?.summary;
  if (summary === undefined) return [];
  return ["", paint("strong", "the newest summary"), ...wrap(summary.replace(/\s+/g, " "), columns)];
}
