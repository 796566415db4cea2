import { createStreamSession } from "./create-stream-session.ts";
import { DEFAULT_FPS, type Recording, replayRecording } from "./recording.ts";
import { createTimeline, type Played, type Timeline } from "./timeline.ts";
import type { KvCache, StreamStrategyName } from "./types.ts";

/** What a recording is played with unless somebody says otherwise. */
export const PLAY_DEFAULTS = { strategy: "summarize-and-drop", window: 4_096, tokensPerFrame: 10 } as const;

export interface PlayOptions {
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
