import type { StreamStep } from "./settings.ts";
import type { Said, StreamSession, StreamStatus, StreamStrategyName, StreamTrace } from "./types.ts";

/** How full the cache was over time, what was said and when it was managed: what charts are drawn from. */
export interface Timeline {
  readonly status: StreamStatus;
  /** Seconds and tokens at the end of steps; of steps that share a place, the fullest. */
  readonly points: readonly TimelinePoint[];
  readonly said: readonly Said[];
  readonly managed: readonly StreamTrace[];
}

/** What came of a recording, and what it was played with. */
export interface Played {
  readonly timeline: Timeline;
  readonly strategy: StreamStrategyName;
  readonly tokensPerFrame: number;
  readonly fps: number;
  /** What people and the assistant said. */
  readonly turns: number;
}

/** The cache at one moment. */
export interface TimelinePoint {
  readonly time: number;
  readonly tokens: number;
}

/** More points than this are merged two by two: a stream may run for days. */
const MAX_POINTS = 4_096;

/** Collects a timeline: hand `onStep` to the session, ask for the timeline whenever it is needed. */
export function createTimeline(): {
  readonly onStep: (step: StreamStep) => void;
  readonly of: (session: StreamSession) => Timeline;
} {
  let points: TimelinePoint[] = [];
  const said: Said[] = [];
  return {
    onStep({ time, tokens, said: text }) {
      points.push({ time, tokens });
      if (points.length > MAX_POINTS) points = halve(points);
      if (text !== undefined) said.push({ text, time });
    },
    of: (session) => ({ status: session.status(), points, said, managed: session.trace }),
  };
}

function halve(points: readonly TimelinePoint[]): TimelinePoint[] {
  const merged: TimelinePoint[] = [];
  for (let i = 0; i < points.length; i += 2) {
    const [a, b] = [points[i]!, points[i + 1] ?? points[i]!];
    merged.push({ time: b.time, tokens: Math.max(a.tokens, b.tokens) });
  }
  return merged;
}

/** The saw-tooth of the cache: at a management it rises to what it had grown to, then falls. */
export function sawtooth({ points, managed }: Pick<Timeline, "points" | "managed">) {
  return [
    ...points.map(({ time, tokens }) => ({ time, tokens, order: 1 })),
    ...managed.map(({ time, tokens }) => ({ time, tokens: tokens.before, order: 0 })),
  ].sort((a, b) => a.time - b.time || a.order - b.order);
}
