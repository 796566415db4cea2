import { setImmediate as breathe } from "node:timers/promises";
import { countingCache } from "../../../stream/caches/counting-cache.ts";
import { createStreamSession } from "../../../stream/create-stream-session.ts";
import { readRecordings, replayRecording } from "../../../stream/recording.ts";
import { createTimeline } from "../../../stream/timeline.ts";
import { exactCounter } from "../../../tokens/index.ts";
import type { StreamStrategyName } from "../../api.ts";
import { RequestFault } from "../../http/request-fault.ts";
import type { Handlers } from "../context.ts";
import { schemas } from "../schemas.ts";

/** The defaults are those of `precis stream`. */
const DEFAULT_STRATEGY: StreamStrategyName = "summarize-and-drop";
const DEFAULT_WINDOW = 4_096;
const DEFAULT_TOKENS_PER_FRAME = 10;
const DEFAULT_FPS = 2;
/** Replaying may keep other requests waiting this long (milliseconds). */
const SLICE_MS = 25;

export const streamHandlers = {
  async replayStream(context) {
    const { file, pick = 0, ...asked } = await context.body(schemas.replayStream);
    const recordings = readRecordings(file.text.split("\n"));
    const recording = recordings[pick];
    if (!recording)
      throw new RequestFault(400, "invalid", `pick: the file holds ${recordings.length} recordings.`);
    const { strategy = DEFAULT_STRATEGY, window = DEFAULT_WINDOW } = asked;
    const tokensPerFrame = asked.tokensPerFrame ?? recording.tokensPerFrame ?? DEFAULT_TOKENS_PER_FRAME;
    const fps = recording.fps ?? DEFAULT_FPS;
    const timeline = createTimeline();
    const session = createStreamSession({
      cache: countingCache({ counter: await exactCounter("o200k_base") }),
      window,
      strategy,
      tokensPerFrame,
      fps,
      speak: false,
      ...(recording.knowledge !== undefined && { knowledge: recording.knowledge }),
      onStep: timeline.onStep,
    });
    let started = performance.now();
    await replayRecording(recording, session, async () => {
      if (performance.now() - started < SLICE_MS) return;
      await breathe();
      context.signal.throwIfAborted();
      started = performance.now();
    });
    return {
      title: recording.title ?? file.name,
      recordings: recordings.length,
      strategy,
      tokensPerFrame,
      fps,
      turns: recording.events.filter((event) => event.type === "turn" && event.role !== "system").length,
      timeline: timeline.of(session),
    };
  },
} satisfies Partial<Handlers>;
