/**
 * Streaming sessions: an assistant that watches frames and speech for hours on a cache that never outgrows its window.
 *
 * @example
 * import { countingCache, createStreamSession } from "precis/stream";
 * import { charsCounter } from "precis/tokens";
 *
 * const cache = countingCache({ counter: charsCounter() });
 * const session = createStreamSession({ cache, window: 4_096, strategy: "drop-middle", speak: false });
 * await session.push({ type: "turn", role: "user", text: "I want to bake bread." });
 * await session.push({ type: "frames", count: 120 });
 */

/** A cache without a model, for tests and replays. */
export { type CountingCacheOptions, countingCache } from "./caches/counting-cache.ts";
export type { LlamaModelLike, LlamaOutput, LlamaSequence } from "./caches/llama-cpp.ts";
/** The KV cache of a local model, on node-llama-cpp. */
/** Opens a GGUF model. */
export {
  type LlamaCppCache,
  type LlamaCppOptions,
  llamaCpp,
  type OpenedLlamaCpp,
  type OpenLlamaCppOptions,
  openLlamaCpp,
} from "./caches/llama-cpp.ts";
/** Any remote model; its prompt cache plays the part of the KV cache. */
export { type PromptCacheOptions, prompt } from "./caches/prompt.ts";
/** A session on a cache. */
export { createStreamSession } from "./create-stream-session.ts";
/** A frame from a picture file. */
export { imageFile } from "./image-file.ts";
/** Reads recorded streams. */
export { type RecordedEvent, type Recording, readRecordings, replayRecording } from "./recording.ts";
export type { SpeakOptions, StreamOptions, StreamStep } from "./settings.ts";
/** The question behind a progress summary. */
/** The names of the strategies. */
export { progressQuery, streamStrategies } from "./settings.ts";
export type {
  CacheEntry,
  CacheItem,
  CacheSnapshot,
  FrameImage,
  FramesItem,
  Generated,
  GenerateRequest,
  KvCache,
  PushResult,
  Said,
  StreamEvent,
  StreamQuery,
  StreamRole,
  StreamRung,
  StreamRungReport,
  StreamSession,
  StreamStatus,
  StreamStrategyName,
  StreamTrace,
  TurnItem,
} from "./types.ts";
/** How full the cache was over time, and how turns look to a local model. */
export { chatMl, createTimeline, type Timeline, type TimelinePoint, type TurnTemplate } from "./words.ts";
