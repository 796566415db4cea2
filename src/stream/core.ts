import { createRecentMap } from "../core/collections.ts";
import { InvariantError } from "../core/errors.ts";
import type { HostState } from "../core/types.ts";
import { createLedger, joinFrames, type Ledger } from "./ledger.ts";
import { createNotes, type Notes } from "./progress.ts";
import { type Settings, type StreamOptions, settingsOf } from "./settings.ts";
import type { CacheItem, FramesItem, KvCache, StreamTrace } from "./types.ts";

/** What a session is made of; the files beside this one work on it. */
export interface SessionCore {
  readonly settings: Settings;
  readonly cache: KvCache;
  readonly ledger: Ledger;
  readonly notes: Notes;
  readonly head: Head;
  readonly now: () => number;
  /** Tokens of a text without the frame of a turn. */
  readonly count: (text: string) => number;
  readonly trace: StreamTrace[];
  /** Not in the cache yet, oldest first. */
  pending: CacheItem[];
  /** How many of them, from the front, a management has put there: feeding them is no news. */
  restored: number;
  /** Length of the cache after the first input of the user. */
  anchor: number | undefined;
  /** The next step sets the anchor: the user has spoken, or the head was fed anew. */
  anchorDue: boolean;
  time: number;
  frames: number;
  steps: number;
  hostSteps: HostState | undefined;
  lastFrame: FramesItem | undefined;
  lastAsked: number;
}

const KNOWLEDGE_MARKER = "Task knowledge:";

export function createCore(options: StreamOptions): SessionCore {
  const core: SessionCore = {
    settings: settingsOf(options),
    cache: options.cache,
    ledger: createLedger(),
    notes: createNotes(),
    head: createHead({
      systemPrompt: options.systemPrompt,
      knowledge: options.knowledge,
      marker: options.knowledgeMarker ?? KNOWLEDGE_MARKER,
    }),
    now: options.now ?? (() => performance.now()),
    count: textCounter(options.cache),
    trace: [],
    ...beginning(),
    hostSteps: options.steps,
  };
  queueHead(core);
  return core;
}

/** Back to the beginning of a stream; the cache itself is reset by the caller. */
export function resetCore(core: SessionCore): void {
  core.ledger.clear();
  core.notes.clear();
  core.head.clear();
  core.trace.length = 0;
  Object.assign(core, beginning());
  queueHead(core);
}

function beginning() {
  return {
    pending: [] as CacheItem[],
    restored: 0,
    anchor: undefined as number | undefined,
    anchorDue: false,
    time: 0,
    frames: 0,
    steps: 0,
    lastFrame: undefined as FramesItem | undefined,
    lastAsked: Number.NEGATIVE_INFINITY,
  };
}

function queueHead(core: SessionCore): void {
  const text = core.head.text();
  if (text === "") return;
  core.pending.push({ type: "turn", role: "system", text, at: 0 });
  core.restored = 1;
}

/** Tokens that wait to be fed. */
export function pendingTokens({ pending, ledger, cache }: SessionCore): number {
  return joinFrames(pending, ledger.last).reduce((sum, item) => sum + cache.count(item), 0);
}

/** Feeds items and keeps the books. After a failure the cache is as it was. */
export async function feed(core: SessionCore, items: readonly CacheItem[]): Promise<void> {
  try {
    await core.cache.feed(items);
  } catch (error) {
    // What got in before the failure leaves again, so that the same items can be fed once more.
    await core.cache.keep([{ from: 0, to: core.ledger.length }]);
    throw error;
  }
  for (const item of items) core.ledger.add(item, core.cache.count(item));
  checkBooks(core);
}

/** The books must agree with the cache to the token, or nobody knows what the model sees. */
export function checkBooks({ cache, ledger }: SessionCore): void {
  if (cache.length === ledger.length) return;
  throw new InvariantError({
    breaches: [`the cache ${cache.id} holds ${cache.length} tokens, by the books ${ledger.length}`],
  });
}

/** Sentences are counted again at each management (characters in all). */
const KNOWN_CHARS = 1_000_000;

function textCounter(cache: KvCache): (text: string) => number {
  const count = (text: string): number => cache.count({ type: "turn", role: "system", text, at: 0 });
  const frame = count("");
  const known = createRecentMap<number>(KNOWN_CHARS);
  return (text) => {
    let tokens = known.get(text);
    if (tokens === undefined) {
      tokens = Math.max(0, count(text) - frame);
      known.set(text, tokens);
    }
    return tokens;
  };
}

/** System prompt and task knowledge: word for word in every system message, once each. */
interface Head {
  /** Learns from the first turns what the options left out. */
  note(text: string): void;
  /** `system ⊕ summary ⊕ knowledge` with a blank between; what is missing is left out. */
  text(summary?: string): string;
  clear(): void;
}

interface HeadOptions {
  readonly systemPrompt?: string | undefined;
  readonly knowledge?: string | undefined;
  /** What a system message with the task's knowledge contains. */
  readonly marker: string;
}

export function createHead(options: HeadOptions): Head {
  let system: string | undefined;
  let knowledge: string | undefined;
  const clear = (): void => {
    system = options.systemPrompt;
    knowledge = options.knowledge;
  };
  clear();
  return {
    note(text) {
      const at = text.indexOf(options.marker);
      if (at >= 0) knowledge ??= text.slice(at).trim();
      // Knowledge inside the first system message isn't part of the prompt: it would be said twice.
      const before = (at < 0 ? text : text.slice(0, at)).trim();
      if (before !== "") system ??= before;
    },
    text: (summary) =>
      [system, summary, knowledge]
        .map((part) => part?.trim() ?? "")
        .filter((part) => part !== "")
        .join(" "),
    clear,
  };
}
