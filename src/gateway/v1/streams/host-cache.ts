import { createRecentMap } from "../../../core/collections.ts";
import type { Run, TokenCounter } from "../../../core/types.ts";
import { addRun, createLedger, frameTokens, TURN_TOKENS } from "../../../stream/ledger.ts";
import type {
  CacheEntry,
  CacheItem,
  FramesItem,
  Generated,
  GenerateRequest,
  KvCache,
  TurnItem,
} from "../../../stream/types.ts";
import { createPace } from "../../compaction/measure.ts";

/** What a host is told to put into its cache. Its id names it from then on. */
interface HostItem {
  readonly id: string;
  readonly type: "turn" | "frames";
  readonly role?: TurnItem["role"];
  readonly text?: string;
  readonly count?: number;
  /** Seconds since the beginning. */
  readonly at: number;
  readonly until?: number;
}

/** What a host does with its own cache, in this order. */
export type HostCommand =
  | { readonly do: "feed"; readonly items: readonly HostItem[] }
  /** Everything else leaves, and the gaps close. Of frames, those from `from` up to `to` stay. */
  | {
      readonly do: "keep";
      readonly items: readonly { readonly id: string; readonly from?: number; readonly to?: number }[];
    }
  | { readonly do: "reset" }
  /** The model speaks, and what it says stays in the cache as the item `id`. The host answers with a reply. */
  | {
      readonly do: "generate";
      readonly id: string;
      readonly for: string;
      readonly cap: number;
      readonly temperature: number;
      readonly stop: readonly string[];
      /** It may say nothing if the chance of silence is at least this. */
      readonly silence?: number;
    };

/** What a host's model said. */
export interface HostReply {
  /** Left out: nothing. */
  readonly text?: string | undefined;
  /** Tokens that it takes in the cache, the frame of the turn included. */
  readonly tokens?: number | undefined;
  readonly stop?: "end" | "length" | undefined;
}

/** No text takes fewer tokens than one for so many of its characters: a host that says so would fill the memory of this process. */
const MOST_CHARS_PER_TOKEN = 8;
/** Texts whose tokens are remembered (characters in all). */
const KNOWN_CHARS = 1_000_000;

export interface HostCacheOptions {
  /** `code`: the host's model isn't asked for summaries. */
  readonly summaries: "host" | "code";
  /** The host's model took longer than it may: whoever agrees calls `giveUp`. */
  onLate(awaited: string): void;
}

/** A cache that another program has: its operations become commands, and its lengths come from there. */
export function hostCache(counter: TokenCounter, { summaries, onLate }: HostCacheOptions) {
  const ledger = createLedger();
  const ids = new WeakMap<CacheItem, string>();
  const items = new Map<string, CacheItem>();
  const tokens = createHostTokens(counter);
  let commands: HostCommand[] = [];
  let number = 0;
  let waiting:
    | { readonly id: string; resolve(reply: HostReply): void; reject(error: Error): void }
    | undefined;
  const onWanted: (() => void)[] = [];
  const pace = createPace();

  const idOf = (item: CacheItem): string => {
    const id = ids.get(item) ?? `i${++number}`;
    ids.set(item, id);
    items.set(id, item);
    return id;
  };
  const keepOnly = (entries: readonly CacheEntry[]): void => {
    const kept = entries.map(({ item, from, to }) => ({
      id: idOf(item),
      ...wholeFrames.indexes(item, from, to),
    }));
    commands.push({ do: "keep", items: kept });
    const here = new Set(kept.map(({ id }) => id));
    for (const id of items.keys()) if (!here.has(id)) items.delete(id);
  };

  const cache: KvCache = {
    id: "host",
    get length() {
      return ledger.length;
    },
    count: tokens.count,
    async feed(fed) {
      // Many frames are fed a cacheful at a time, with the cache managed in between.
      await pace.pause();
      for (const item of fed) ledger.add(item, tokens.count(item));
      commands.push({ do: "feed", items: fed.map((item) => hostItem(idOf(item), item)) });
    },
    async generate(request) {
      if (summaries === "code" && request.name !== "stream-reply")
        throw new Error("the host's model isn't asked for summaries");
      const id = `i${++number}`;
      const reply = await ask(id, request);
      if (reply.text === undefined) return { silent: true };
      const item: TurnItem = { type: "turn", role: "assistant", text: reply.text, at: request.at };
      if (reply.tokens !== undefined) tokens.report(item, reply.tokens);
      ids.set(item, id);
      items.set(id, item);
      ledger.add(item, tokens.count(item));
      return { silent: false, item, stop: reply.stop ?? "end" } satisfies Generated;
    },
    snapshot: async () => ({ length: ledger.length, data: [...ledger.entries()] }),
    async restore({ data }) {
      ledger.set(data as readonly CacheEntry[]);
      keepOnly(ledger.entries());
    },
    async keep(ranges) {
      const kept = wholeFrames.ranges(ledger.entries(), ranges);
      ledger.keep(kept);
      keepOnly(ledger.entries());
      return kept;
    },
    async reset() {
      ledger.clear();
      items.clear();
      // What the host hasn't got yet would only be thrown away.
      commands = [{ do: "reset" }];
    },
  };

  return {
    cache,
    /** The commands that the host hasn't got yet. */
    take() {
      const taken = commands;
      commands = [];
      return taken;
    },
    /** Resolves when the model of the host must speak before anything can go on. */
    wanted: (): Promise<void> =>
      waiting ? Promise.resolve() : new Promise((resolve) => onWanted.push(resolve)),
    /** The id of what the host's model is to say, while that is waited for. */
    get awaited() {
      return waiting?.id;
    },
    reply: (reply: HostReply) => end()?.resolve(reply),
    /** Nothing is waited for any more: the host's model took too long. */
    giveUp: () => end()?.reject(new Error("the host's model took too long")),
    /** What the host's cache holds if the host did all that it was told; of frames, those from `from` up to `to`. */
    contents: () =>
      ledger.entries().map(({ item, from, to }) => ({
        ...hostItem(idOf(item), item),
        ...wholeFrames.indexes(item, from, to),
      })),
    report: (role: TurnItem["role"], text: string, counted: number) => tokens.report({ role, text }, counted),
    /** The id of frames that can't be as long as the host says. */
    tooLong: (lengths: Readonly<Record<string, number>>) =>
      Object.keys(lengths).find((id) => {
        const item = items.get(id);
        return item?.type === "frames" && lengths[id]! > frameTokens(item);
      }),
    /** Tokens of items in the host's cache, by id. What precis wrote itself is estimated better from then on. */
    reportLengths(lengths: Readonly<Record<string, number>>) {
      for (const [id, length] of Object.entries(lengths)) {
        const item = items.get(id);
        if (item?.type === "turn" && length > 0) tokens.learn(item.text, length);
      }
    },
  };

  /** Whoever waited for the host's model. */
  function end(): typeof waiting {
    const ended = waiting;
    waiting = undefined;
    return ended;
  }

  function ask(id: string, request: GenerateRequest): Promise<HostReply> {
    const { cap, temperature, silence, name, signal } = request;
    commands.push({
      do: "generate",
      id,
      for: name,
      cap,
      temperature,
      stop: request.stop ?? [],
      ...(silence !== undefined && { silence }),
    });
    return new Promise((resolve, reject) => {
      const asked = { id, resolve, reject };
      waiting = asked;
      // It may have been answered long ago, and another answer be awaited.
      signal?.addEventListener("abort", () => {
        if (waiting === asked) onLate(id);
      });
      for (const wanted of onWanted.splice(0)) wanted();
    });
  }
}

/** Tokens of items in the host's cache: as the host told them, or estimated from the lengths that it told. */
function createHostTokens(counter: TokenCounter) {
  const known = createRecentMap<number>(KNOWN_CHARS);
  /** The host's tokens ÷ the counter's, the largest that was seen: what is only estimated must not outgrow the cache. */
  let factor = 1;
  const keyOf = ({ role, text }: Pick<TurnItem, "role" | "text">) => `${role}\n${text}`;
  const estimate = (text: string) => TURN_TOKENS + counter.count(text);
  const report = (turn: Pick<TurnItem, "role" | "text">, tokens: number): void => {
    known.set(keyOf(turn), Math.max(tokens, Math.ceil(turn.text.length / MOST_CHARS_PER_TOKEN)));
  };
  return {
    report,
    learn(text: string, tokens: number): void {
      factor = Math.max(factor, tokens / estimate(text));
    },
    /** The same text always takes the same number, whatever is learnt later. */
    count(item: CacheItem): number {
      if (item.type === "frames") return frameTokens(item);
      const counted = known.get(keyOf(item));
      if (counted !== undefined) return counted;
      const tokens = Math.ceil(estimate(item.text) * factor);
      known.set(keyOf(item), tokens);
      return tokens;
    },
  };
}

function hostItem(id: string, item: CacheItem): HostItem {
  if (item.type === "turn") return { id, type: "turn", role: item.role, text: item.text, at: item.at };
  return { id, type: "frames", count: item.count, at: item.at, until: item.until };
}

/** Hosts cut between turns and between frames, never inside of one. */
const wholeFrames = {
  /** Of the ranges, what covers whole turns and whole frames. */
  ranges(entries: readonly CacheEntry[], ranges: readonly Run[]): Run[] {
    const kept: Run[] = [];
    let start = 0;
    for (const { item, from, to } of entries) {
      const end = start + to - from;
      for (const range of ranges) {
        const first = Math.max(range.from, start);
        const last = Math.min(range.to, end);
        if (first >= last) continue;
        const inside = within(item, { from: from + first - start, to: from + last - start }, { from, to });
        if (inside) addRun(kept, { from: start + inside.from - from, to: start + inside.to - from });
      }
      start = end;
    }
    return kept;
  },

  /** Which frames of an item these tokens are; nothing for a turn, which is whole. */
  indexes(item: CacheItem, from: number, to: number): { readonly from?: number; readonly to?: number } {
    if (item.type === "turn") return {};
    const [first, last] = [framesUpTo(item, from), framesUpTo(item, to)];
    return first === 0 && last === item.count ? {} : { from: first, to: last };
  },
};

/** The part of a range that can be kept of an item, or of what is left of it. */
function within(item: CacheItem, range: Run, left: Run): Run | undefined {
  if (item.type === "turn") return range.from === left.from && range.to === left.to ? range : undefined;
  const from = range.from === left.from ? range.from : endOf(item, framesUpTo(item, range.from, "up"));
  const to = endOf(item, framesUpTo(item, range.to));
  return from < to ? { from, to } : undefined;
}

function endOf({ tokensPerFrame, separator, joined }: FramesItem, frames: number): number {
  if (frames === 0) return 0;
  return frames * tokensPerFrame + (joined ? frames : frames - 1) * separator;
}

/** How many frames end within so many tokens. */
function framesUpTo(item: FramesItem, tokens: number, rounding: "down" | "up" = "down"): number {
  const { tokensPerFrame, separator, joined, count } = item;
  const one = Math.max(1, tokensPerFrame + separator);
  const exact = (tokens + (joined ? 0 : separator)) / one;
  return Math.min(count, tokens <= 0 ? 0 : rounding === "up" ? Math.ceil(exact) : Math.floor(exact));
}
