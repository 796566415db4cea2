import { setImmediate as breathe } from "node:timers/promises";
import { countingCache } from "../../../stream/caches/counting-cache.ts";
import { playRecording } from "../../../stream/play-recording.ts";
import { readRecordings } from "../../../stream/recording.ts";
import { exactCounter } from "../../../tokens/index.ts";
import { RequestFault } from "../../http/request-fault.ts";
import type { Handlers } from "../context.ts";
import { schemas } from "../schemas.ts";

/** Replaying may keep other requests waiting this long (milliseconds). */
const SLICE_MS = 25;

export const streamHandlers = {
  async replayStream(context) {
    const { file, pick = 0, ...asked } = await context.body(schemas.replayStream);
    const recordings = readRecordings(file.text.split("\n"));
    const recording = recordings[pick];
    if (!recording)
      throw new RequestFault(
        400,
        "invalid",
        `pick: the file has no recording ${pick + 1}; recordings in it: ${recordings.length}.`,
      );
    let started = performance.now();
    const played = await playRecording(recording, {
      ...asked,
      cache: countingCache({ counter: await exactCounter("o200k_base") }),
      async onEvent() {
        if (performance.now() - started < SLICE_MS) return;
        await breathe();
        context.signal.throwIfAborted();
        started = performance.now();
      },
    });
    return { title: recording.title ?? file.name, recordings: recordings.length, ...played };
  },
} satisfies Partial<Handlers>;
