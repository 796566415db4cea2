import { TranscriptError } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";
import { createStreamSession, STREAM_ROLES } from "./create-stream-session.ts";
import { DEFAULTS } from "./settings.ts";
import type { KvCache, StreamEvent, StreamRole, StreamSession, StreamStrategyName } from "./types.ts";
import { createTimeline, type Played, type Timeline } from "./words.ts";

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
  const fps = recording.fps ?? DEFAULTS.fps;
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
    events: events.map((event, index) => eventOf(event, fps ?? DEFAULTS.fps, line ?? index + 1)),
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
  const fps = recording.fps ?? DEFAULTS.fps;
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
