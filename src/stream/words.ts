import type { StreamStep } from "./settings.ts";
import type {
  Said,
  StreamRole,
  StreamSession,
  StreamStatus,
  StreamStrategyName,
  StreamTrace,
} from "./types.ts";

/** What a person reads for the names in a stream's timeline: page, command line and HTML reports take the words from here. */
export const STREAM_WORDS: {
  readonly strategies: Readonly<Record<StreamStrategyName, string>>;
  readonly reasons: Readonly<Record<StreamTrace["reason"], string>>;
  readonly actions: Readonly<Record<StreamTrace["action"], string>>;
} = {
  strategies: {
    "drop-all": "Keep only the last words",
    "drop-middle": "Keep start and end",
    "summarize-and-drop": "Summarise everything",
    "summarize-and-keep": "Summarise, keep the last seconds",
    state: "Keep a list of steps",
  },
  reasons: {
    full: "the cache was full",
    "next-input": "the next input didn't fit",
    asked: "it was requested",
  },
  actions: {
    "old-frames": "Old frames removed",
    keep: "Parts kept",
    restart: "Restarted",
    nothing: "Nothing to do",
  },
};

/** How turns look in the text of a local model. Special tokens are written as their text. */
export interface TurnTemplate {
  open(role: StreamRole): string;
  readonly close: string;
}

/** What stands before a caption, so that the model doesn't take it for the user's words. */
const CAPTION = "[caption] ";

/** ChatML, which most small models speak. Captions come as the user's turn with a mark. */
export const chatMl: TurnTemplate = {
  open: (role) => (role === "caption" ? `<|im_start|>user\n${CAPTION}` : `<|im_start|>${role}\n`),
  close: "<|im_end|>\n",
};

/** A caption as text, for formats that have no place for it. */
export const captionText = (text: string): string => `${CAPTION}${text}`;

const MINUTE = 60;
const HOUR = 3_600;

/** 7.9 → `7.9 seconds`, 725 → `12 minutes 5 seconds`, 3600 → `1 hour`. */
export function formatSeconds(seconds: number): string {
  // The tenth is rounded first, so that 59.96 is a minute and not 60.0 seconds.
  const tenths = Math.round(Math.max(0, seconds) * 10) / 10;
  if (tenths < MINUTE) return plural(tenths, "second");
  const whole = Math.round(tenths);
  const parts: [number, string][] = [
    [Math.floor(whole / HOUR), "hour"],
    [Math.floor((whole % HOUR) / MINUTE), "minute"],
    [whole % MINUTE, "second"],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, name]) => plural(count, name))
    .join(" ");
}

export const plural = (count: number, name: string): string => `${count} ${name}${count === 1 ? "" : "s"}`;

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
