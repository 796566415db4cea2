import { TranscriptError } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
import { createStreamSession, STREAM_ROLES } from "./create-stream-session.ts";
import { DEFAULT_FPS, type StreamStep } from "./settings.ts";
import type {
  KvCache,
  Said,
  StreamEvent,
  StreamRole,
  StreamSession,
  StreamStatus,
  StreamStrategyName,
  StreamTrace,
} from "./types.ts";

/** A recorded stream. */
export interface Recording {
  readonly title: string | undefined;
  readonly fps: number | undefined;
  readonly tokensPerFrame: number | undefined;
  readonly knowledge: string | undefined;
  readonly events: readonly RecordedEvent[];
}

/** An event with the progress that was noted beside it in the recording, if any. */
export type RecordedEvent = StreamEvent & { readonly progress?: string };

const ROLES: ReadonlySet<string> = new Set(STREAM_ROLES);

/**
 * Reads JSONL: either one recording per line, `{ fps, conversation: […] }`, or one event per line. An event is
 * `{ role: "frames", start, end }` (frame numbers, the last one excluded), or `{ role, time, content }`.
 */
export function readRecordings(lines: readonly string[]): Recording[] {
  const recordings: Recording[] = [];
  const events: unknown[] = [];
  lines.forEach((line, index) => {
    if (line.trim() === "") return;
    const value = parse(line, index + 1);
    if (Array.isArray(value["conversation"]))
      recordings.push(recordingOf(value, value["conversation"], index + 1));
    else events.push(value);
  });
  if (events.length > 0) recordings.push(recordingOf({}, events, undefined));
  return recordings;
}

/** Pushes a recording into a session, event by event and frame by frame. */
export async function replayRecording(
  recording: Recording,
  session: StreamSession,
  onEvent?: (event: RecordedEvent) => void | Promise<void>,
): Promise<void> {
  const fps = recording.fps ?? DEFAULT_FPS;
  for (const event of recording.events) {
    if (event.type === "turn") await session.push(event);
    else await pushFrames(event, fps, session, onEvent);
    await onEvent?.(event);
  }
  await session.flush();
}

async function pushFrames(
  { count = 1, time = 0 }: Extract<RecordedEvent, { type: "frames" }>,
  fps: number,
  session: StreamSession,
  onEvent?: (event: RecordedEvent) => void | Promise<void>,
): Promise<void> {
  for (let left = count - 1; left >= 0; left--) {
    const frame: RecordedEvent = { type: "frames", count: 1, time: time - left / fps };
    await session.push(frame);
    if (left > 0) await onEvent?.(frame);
  }
}

type Json = Readonly<Record<string, unknown>>;

function recordingOf(value: Json, events: readonly unknown[], line: number | undefined): Recording {
  const metadata = isRecord(value["metadata"]) ? value["metadata"] : {};
  const fps = number(value["fps"]);
  return {
    title: text(value["video_uid"]) ?? text(value["title"]),
    fps,
    tokensPerFrame: number(value["num_tokens_per_img"]),
    knowledge: text(metadata["knowledge"]),
    events: events.map((event, index) => eventOf(event, fps ?? DEFAULT_FPS, line ?? index + 1)),
  };
}

function eventOf(value: unknown, fps: number, line: number): RecordedEvent {
  const event = isRecord(value) ? value : {};
  const role = event["role"];
  if (role === "frames") {
    const start = number(event["start"]);
    const end = number(event["end"]);
    if (start === undefined || end === undefined || end < start)
      throw fault(line, "a span of frames needs `start` and `end`, with `end` not before `start`");
    return { type: "frames", count: Math.round(end - start), time: end / fps };
  }
  const content = text(event["content"]) ?? text(event["text"]);
  if (typeof role !== "string" || !ROLES.has(role) || content === undefined)
    throw fault(
      line,
      `an event needs a role (frames, ${[...ROLES].join(", ")}) and, unless it is frames, \`content\``,
    );
  const time = number(event["time"]);
  const progress = text(event["progress"]);
  return {
    type: "turn",
    role: role as StreamRole,
    text: content,
    ...(time === undefined ? {} : { time }),
    ...(progress === undefined ? {} : { progress }),
  };
}

function parse(line: string, number: number): Json {
  try {
    const value: unknown = JSON.parse(line);
    if (isRecord(value)) return value;
  } catch (error) {
    throw fault(number, "this isn't JSON", error);
  }
  throw fault(number, "this isn't a JSON object");
}

const fault = (line: number, message: string, cause?: unknown): TranscriptError =>
  new TranscriptError({
    line,
    message: `${message}.`,
    fix: 'Each line is `{"role": "frames", "start": 0, "end": 4}`, `{"role": "user", "time": 2, "content": "…"}`, or a whole recording with `conversation`.',
    cause,
  });

const number = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** What a recording is played with unless somebody says otherwise. */
export const PLAY_DEFAULTS = { strategy: "summarize-and-drop", window: 4_096, tokensPerFrame: 10 } as const;

interface PlayOptions {
  readonly cache: KvCache;
  readonly strategy?: StreamStrategyName | undefined;
  readonly window?: number | undefined;
  readonly reserve?: number | undefined;
  /** Left out: what the recording says. */
  readonly tokensPerFrame?: number | undefined;
  /** After each event. */
  readonly onEvent?: (soFar: () => Timeline) => void | Promise<void>;
}

/** Plays a recording on a cache from its beginning to its end; the recorded assistant speaks, not the model. */
export async function playRecording(recording: Recording, options: PlayOptions): Promise<Played> {
  const { cache, reserve, onEvent } = options;
  const strategy = options.strategy ?? PLAY_DEFAULTS.strategy;
  const tokensPerFrame = options.tokensPerFrame ?? recording.tokensPerFrame ?? PLAY_DEFAULTS.tokensPerFrame;
  const fps = recording.fps ?? DEFAULT_FPS;
  const timeline = createTimeline();
  const session = createStreamSession({
    cache,
    window: options.window ?? PLAY_DEFAULTS.window,
    strategy,
    tokensPerFrame,
    fps,
    speak: false,
    ...(reserve !== undefined && { reserve }),
    ...(recording.knowledge !== undefined && { knowledge: recording.knowledge }),
    onStep: timeline.onStep,
  });
  await replayRecording(recording, session, () => onEvent?.(() => timeline.of(session)));
  return {
    timeline: timeline.of(session),
    strategy,
    tokensPerFrame,
    fps,
    turns: recording.events.filter((event) => event.type === "turn" && event.role !== "system").length,
  };
}

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
