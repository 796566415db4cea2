import { type StreamReplayAnswer, sawtooth } from "../../../src/gateway/api.ts";

/** A recording shows within its first characters that it is one. */
const LOOK_CHARS = 200_000;

/** Is this a recorded stream, and not a conversation? */
export const isStreamFile = (text: string): boolean =>
  /"role"\s*:\s*"frames"/.test(text.slice(0, LOOK_CHARS));

/** The saw-tooth of the cache as columns of a chart. */
export function sawColumns(timeline: StreamReplayAnswer["timeline"]) {
  const saw = sawtooth(timeline);
  return { seconds: saw.map(({ time }) => time), tokens: saw.map(({ tokens }) => tokens) };
}

/** The management that a moment belongs to: the last one at or before it. */
export function managementAt(managed: readonly { readonly time: number }[], seconds: number): number {
  return Math.max(
    0,
    managed.findLastIndex(({ time }) => time <= seconds),
  );
}
