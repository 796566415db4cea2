import type { HostState, ModelReply, Run } from "../core/types.ts";

// ── What comes in ───────────────────────────────────────────────────────────────────────────────

/** A frame as a picture, for models that see pictures. `imageFile` makes one from a file. */
export interface FrameImage {
  /** A `data:` URL, an `https:` URL or base64 text. */
  readonly source: string;
  readonly width?: number;
  readonly height?: number;
}

/** Who speaks in a stream. A caption is speech or a note that belongs to the stream and isn't addressed to the assistant. */
export type StreamRole = "system" | "user" | "assistant" | "caption";

/** Something that happens in a stream. `time` is in seconds since its beginning; left out, the frames tell it. */
export type StreamEvent =
  | {
      readonly type: "frames";
      /** How many. Default: the number of images, or 1. */
      readonly count?: number;
      readonly images?: readonly FrameImage[];
      /** Time of the last of them. */
      readonly time?: number;
    }
  /** An assistant's turn is one that was recorded; what the session says itself needs no pushing. */
  | { readonly type: "turn"; readonly role: StreamRole; readonly text: string; readonly time?: number };

// ── What the cache holds ────────────────────────────────────────────────────────────────────────

/** A whole turn in the cache. */
export interface TurnItem {
  readonly type: "turn";
  readonly role: StreamRole;
  readonly text: string;
  /** Seconds since the beginning. */
  readonly at: number;
  /** Token ids of a generated text: tokenising it again needn't give the same ones. */
  readonly ids?: readonly number[];
}

/** A run of frames in the cache. */
export interface FramesItem {
  readonly type: "frames";
  readonly count: number;
  readonly tokensPerFrame: number;
  /** Tokens between two frames. */
  readonly separator: number;
  /** The item before it is frames too, so a separator stands before the first. */
  readonly joined: boolean;
  /** Time of the first frame and of the last one, in seconds since the beginning. */
  readonly at: number;
  readonly until: number;
  readonly images?: readonly FrameImage[];
}

/** What a cache is fed. */
export type CacheItem = TurnItem | FramesItem;

/** An item in the cache, or the part of it that is left: tokens `from` to `to` of its own. */
export interface CacheEntry {
  readonly item: CacheItem;
  readonly from: number;
  readonly to: number;
}

/** The cache at one moment. Only the cache that made it can read `data`. */
export interface CacheSnapshot {
  readonly length: number;
  readonly data: unknown;
}

/** What `generate` takes. */
export interface GenerateRequest {
  /** Names the request in logs (`stream-reply`, `stream-summary`). */
  readonly name: string;
  /** Tokens that the cache may grow by, the frame of the assistant's turn included. */
  readonly cap: number;
  /** 0 is greedy. */
  readonly temperature: number;
  /** Texts that end the answer; they aren't part of it. */
  readonly stop?: readonly string[];
  /** Say nothing if the chance of silence is at least this. Left out: an answer is wanted. */
  readonly silence?: number;
  /** When the answer is given, in seconds since the beginning. */
  readonly at: number;
  readonly signal?: AbortSignal;
}

/** What `generate` answers: silence, which leaves the cache as it was, or a turn that is in the cache now. */
export type Generated =
  | { readonly silent: true }
  | {
      readonly silent: false;
      /** The turn as it stands in the cache. */
      readonly item: TurnItem;
      readonly stop: ModelReply["stop"];
    };

/**
 * A model's context that grows at its end: the KV cache of a local model, or the message list of a remote one, whose
 * prompt cache plays that part.
 */
export interface KvCache {
  readonly id: string;
  /** Tokens in the cache. */
  readonly length: number;
  /** Tokens that an item takes. The same item always takes the same number, wherever it stands. */
  count(item: CacheItem): number;
  /** Appends items. */
  feed(items: readonly CacheItem[], signal?: AbortSignal): Promise<void>;
  /** Lets the model speak; the answer stays in the cache as a whole turn. */
  generate(request: GenerateRequest): Promise<Generated>;
  snapshot(): Promise<CacheSnapshot>;
  /** Back to what a snapshot of this cache held. */
  restore(snapshot: CacheSnapshot): Promise<void>;
  /**
   * Removes everything but these ranges of tokens (in order, not overlapping) and closes the gaps: positions count on
   * without a hole. Returns the ranges that were really kept; a cache that can't cut inside an item keeps less.
   */
  keep(ranges: readonly Run[]): Promise<readonly Run[]>;
  reset(): Promise<void>;
}

// ── Sessions ────────────────────────────────────────────────────────────────────────────────────

/** How a full cache is made smaller. */
export type StreamStrategyName =
  | "drop-all"
  | "drop-middle"
  | "summarize-and-drop"
  | "summarize-and-keep"
  | "state";

/** The message that asks for a progress summary. */
export interface StreamQuery {
  readonly role: "user" | "system";
  readonly text: string;
}

/** The rungs of a progress summary: the live cache, a model of its own, the session's turns by code. */
export type StreamRung = "continuation" | "full" | "extractive";

/** One rung that was tried. */
export interface StreamRungReport {
  readonly rung: StreamRung;
  readonly result: "used" | "rejected" | "failed";
  /** Why it was rejected or how it failed. */
  readonly note?: string;
}

/** One management of the cache. */
export interface StreamTrace {
  /** Which step of the session. */
  readonly step: number;
  /** Seconds since the beginning. */
  readonly time: number;
  /** Frames seen so far. */
  readonly frame: number;
  readonly strategy: StreamStrategyName;
  /** The cache was full, the next input wouldn't have fitted, or the host asked. */
  readonly reason: "full" | "next-input" | "asked";
  /** Old pictures left, ranges were kept, the cache was begun anew, or nothing was to be done. */
  readonly action: "old-frames" | "keep" | "restart" | "nothing";
  /** Tokens in the cache before; after, what was kept in it plus what waits to be fed in its place. */
  readonly tokens: { readonly before: number; readonly after: number };
  readonly durationMs: number;
  /** Ranges of the cache that were kept. */
  readonly kept?: readonly Run[];
  readonly query?: StreamQuery;
  /** The progress summary, without system prompt and knowledge. */
  readonly summary?: string;
  /** The whole system message that was put in place of the cache. */
  readonly head?: string;
  readonly rungs?: readonly StreamRungReport[];
  readonly warnings: readonly string[];
}

/** Something that the session said. */
export interface Said {
  readonly text: string;
  readonly time: number;
}

/** What one `push` led to. */
export interface PushResult {
  readonly said: readonly Said[];
  readonly managed: readonly StreamTrace[];
}

/** Where a session stands. */
export interface StreamStatus {
  /** Seconds since the beginning. */
  readonly time: number;
  readonly frames: number;
  readonly steps: number;
  /** Tokens in the cache, and tokens that wait to be fed. */
  readonly tokens: number;
  readonly pending: number;
  readonly window: number;
  readonly reserve: number;
  /** `window − reserve`: at this many tokens the cache is managed. */
  readonly limit: number;
}

/** A stream that never outgrows its cache. */
export interface StreamSession {
  /** Something happened. Pushes are carried out one after the other, in the order in which they came. */
  push(event: StreamEvent): Promise<PushResult>;
  /** Feeds what still waits. */
  flush(): Promise<PushResult>;
  /** Manages the cache now. */
  compact(): Promise<StreamTrace>;
  /** A progress summary; the cache stays as it is. */
  summarize(): Promise<{ readonly text: string; readonly rungs: readonly StreamRungReport[] }>;
  /** The host's own list of steps, for `state`. */
  setSteps(steps: HostState | undefined): void;
  /** What is in the cache, item by item. */
  contents(): readonly CacheEntry[];
  /** What will be fed next. */
  pending(): readonly CacheItem[];
  status(): StreamStatus;
  /** The managements of the cache, oldest first: the newest 1,000, and of very long ones fewer. */
  readonly trace: readonly StreamTrace[];
  /** Forgets everything: another stream begins. */
  reset(): Promise<void>;
}
