import { type StreamReplayAnswer, type StreamStrategyName, sawtooth } from "../../../src/gateway/api.ts";

/** What `precis stream --json` names its output. */
const FORMAT = "precis-stream/1";
/** A recording shows within its first characters that it is one. */
const LOOK_CHARS = 200_000;

/** Is this a recorded stream, or the timeline of one, and not a conversation? */
export function isStreamFile(text: string): boolean {
  const start = text.slice(0, LOOK_CHARS);
  return isTimeline(start) || /"role"\s*:\s*"frames"/.test(start);
}

const isTimeline = (text: string): boolean =>
  text.trimStart().startsWith("{") && /"format"\s*:\s*"precis-stream\//.test(text);

/** A timeline that was made before, by `precis stream --json`; undefined if the text is a recording. */
export function readTimeline(name: string, text: string): StreamReplayAnswer | undefined {
  if (!isTimeline(text.slice(0, LOOK_CHARS))) return undefined;
  const { format, file, strategy, tokensPerFrame, fps, turns, status, points, said, managed } = JSON.parse(
    text,
  ) as Omit<StreamReplayAnswer, "timeline"> &
    StreamReplayAnswer["timeline"] & { readonly format: string; readonly file?: string };
  if (format !== FORMAT || !status || !Array.isArray(points) || !Array.isArray(managed))
    throw new TypeError(`The format is ${format}; this page reads ${FORMAT}.`);
  return {
    title: file ?? name,
    recordings: 1,
    strategy: strategy satisfies StreamStrategyName,
    tokensPerFrame,
    fps,
    turns,
    timeline: { status, points, said: said ?? [], managed },
  };
}

/** The saw-tooth of the cache as columns of a chart. */
export function sawColumns(timeline: StreamReplayAnswer["timeline"]): {
  readonly seconds: readonly number[];
  readonly tokens: readonly number[];
} {
  const saw = sawtooth(timeline);
  return { seconds: saw.map(({ time }) => time), tokens: saw.map(({ tokens }) => tokens) };
}

/** The management that a moment belongs to: the last one at or before it. */
export function managementAt(managed: readonly { readonly time: number }[], seconds: number): number {
  const found = managed.findLastIndex(({ time }) => time <= seconds);
  return Math.max(0, found);
}
