import type { PrefixReason, Prices, Report, Usage } from "../core/types.ts";
import { spendOf } from "./model-info.ts";

/** Why a provider's cache couldn't be used: what changed in the view, or tools that were loaded, which stand before it. */
export type CacheLoss = PrefixReason | "tools";

/** One answered request, as its provider billed it. Tokens are the provider's. */
export interface BilledRequest {
  readonly usage: Usage;
  readonly prices: Prices;
  /** Tokens of the transcript that weren't sent. */
  readonly hidden: number;
  /** Tokens that came to the transcript since the request before; they would have been paid for with any cache. */
  readonly fresh: number;
  /** Why the view doesn't begin with what was sent before. */
  readonly changed: CacheLoss | undefined;
  /** The provider still had the request before it in its cache, as far as time tells. */
  readonly isWarm: boolean;
}

/** What a view saved in one request, and what the provider's cache lost by it (US dollars). */
export interface Saving {
  /** What the tokens that weren't sent would have cost. */
  readonly saved: number;
  /** What it cost more than with a cache that holds what was sent before. */
  readonly rewritten: number;
}

/** These changes come from the client: its cache would be lost without precis, too. */
const OF_CLIENTS: ReadonlySet<CacheLoss> = new Set(["transcript", "system"]);
export const isOfClient = (changed: CacheLoss): boolean => OF_CLIENTS.has(changed);

/** A cache that held this share of the request before it held all of it: providers count in steps. */
const HELD = 0.5;
const MILLION = 1e6;

/** What a receipt needs of the report of a view. */
export type ReceiptReport = Pick<
  Report,
  "tokens" | "prefixReason" | "recalled" | "checkpoint" | "cost" | "summaryCheck" | "repeated"
> & {
  readonly quoted?: readonly unknown[];
  readonly budget: Pick<Report["budget"], "tools">;
};

/** A request as it was sent and billed. */
export interface SentRequest {
  /** Its tokens by precis's count, without tools. */
  readonly tokens: number | undefined;
  /** All input tokens and those of the transcript that were left out, by the provider's count. */
  readonly input?: number | undefined;
  readonly hidden?: number | undefined;
  /** The provider's tokens for each of precis's, of what came last. */
  readonly scale?: number | undefined;
  /** The provider has read requests of the conversation from a cache; undefined before the second of them. */
  readonly readsCache?: boolean | undefined;
  /** Tokens that were read from a cache where its view began, which other conversations may keep there, and the most of it since. */
  readonly shared?: number | undefined;
  readonly read?: number | undefined;
  /** Tools that had been loaded, where they are loaded on demand. */
  readonly loaded?: number | undefined;
}

/** What a request shows of its provider's cache. */
export interface CacheReading {
  /** The request before it was still there. */
  readonly isHit: boolean;
  /** Its conversation was seen to read more than what others may share with it. */
  readonly isReader: boolean;
}

/** Declarations of tools that a request was sent without, and how many had been loaded. */
export interface Deferred {
  readonly loaded: number;
  /** Tokens that this spared, by precis's count. */
  readonly tokens: number;
}

/** Were tools loaded since the request before? They stand in front of all messages. */
const hasLoaded = (before: SentRequest | undefined, deferred: Deferred | undefined): boolean =>
  before?.loaded !== undefined && deferred !== undefined && before.loaded !== deferred.loaded;

/** How long a provider keeps a prompt that isn't used again, as long as nothing else is known (milliseconds). */
export const CACHE_MS = 5 * 60_000;
/** Shorter prompts aren't cached by all providers (tokens). */
const LEAST_CACHED = 5_000;

/** What the next request of a conversation is compared with, and what this one shows of the cache; undefined: nothing. */
export function sentAfter(
  before: SentRequest | undefined,
  {
    report,
    usage,
    hidden,
    isView = true,
    isFirst,
    deferred,
  }: {
    readonly report: ReceiptReport | undefined;
    readonly usage: Usage | undefined;
    readonly hidden: number | undefined;
    /** False: the transcript was sent, and the view only looked at. */
    readonly isView?: boolean;
    readonly isFirst: boolean;
    readonly deferred?: Deferred | undefined;
  },
): { readonly sent: SentRequest; readonly reading: CacheReading | undefined } {
  const tokens = isView ? report?.tokens.after : report?.tokens.transcript;
  const isSame = report?.prefixReason === undefined && !hasLoaded(before, deferred);
  const grown = tokens !== undefined && before?.tokens !== undefined ? tokens - before.tokens : 0;
  const scale =
    isSame && grown > 0 && usage && before?.input !== undefined ? (usage.input - before.input) / grown : 0;
  // A first request finds nothing anywhere.
  const reads = isFirst || usage?.cacheRead === undefined ? undefined : usage.cacheRead > 0;
  const { cacheRead = 0 } = usage ?? {};
  const isNew = isFirst || !isSame || before?.read === undefined;
  const shared = isNew ? cacheRead : before.shared!;
  const read = isNew ? cacheRead : Math.max(before.read, cacheRead);
  return {
    sent: {
      tokens,
      input: usage?.input,
      hidden: report ? hidden : 0,
      // Pictures and the like are counted otherwise; a number that can't be is none.
      scale: scale > 0.5 && scale < 2 ? scale : before?.scale,
      readsCache: before?.readsCache || (reads ?? before?.readsCache),
      ...(usage?.cacheRead !== undefined && { shared, read }),
      ...(deferred && { loaded: deferred.loaded }),
    },
    reading:
      reads === undefined || isNew || (before.input ?? 0) < LEAST_CACHED
        ? undefined
        : { isHit: cacheRead > (shared + read) / 2, isReader: read > shared },
  };
}

/** What the view of a request left out, and what that saved; undefined where prices aren't known. */
export function billOf(
  before: SentRequest | undefined,
  {
    report,
    usage,
    prices,
    isFirst,
    idleMs = 0,
    cacheMs = CACHE_MS,
    deferred,
  }: {
    /** Left out: nothing was counted, because all of the transcript surely fits. */
    readonly report: ReceiptReport | undefined;
    readonly usage: Usage;
    readonly prices: Prices | undefined;
    readonly isFirst: boolean;
    /** Since the request before it, and how long its provider keeps a prompt (milliseconds). */
    readonly idleMs?: number | undefined;
    readonly cacheMs?: number | undefined;
    readonly deferred?: Deferred | undefined;
  },
): Bill {
  const { tokens, budget, prefixReason, recalled } = report ?? UNCOUNTED;
  const { transcript, after } = tokens;
  const scale = before?.scale ?? (report ? usage.input / Math.max(1, after + budget.tools) : 1);
  const fresh = Math.max(0, tokens.before - (before?.tokens ?? tokens.before)) * scale;
  // What wasn't sent any more, and what was quoted, is the difference to what this one would have had.
  const isChanged = prefixReason !== undefined && prefixReason !== "system";
  const shown = isChanged || recalled.length > 0 ? usage.input - (before?.input ?? 0) - fresh : 0;
  // Most of it the provider counted while it was still sent.
  const isCounted =
    before?.input !== undefined && before.hidden !== undefined && prefixReason !== "transcript";
  const hidden =
    transcript === after ? 0 : isCounted ? Math.max(0, before.hidden! - shown) : (transcript - after) * scale;
  const loaded = hasLoaded(before, deferred) ? "tools" : undefined;
  const changed = isFirst ? undefined : (prefixReason ?? loaded);
  const isWarm = (before?.readsCache ?? true) && idleMs <= cacheMs;
  const saved = (hidden: number) => prices && savingOf({ usage, prices, hidden, fresh, changed, isWarm });
  const saving = saved(hidden);
  if (!deferred || !saving) return { hidden, changed, saving, deferred: 0 };
  const whole = saved(hidden + deferred.tokens * scale)!;
  const lost = changed === "tools" ? saving.rewritten : 0;
  return { hidden, changed, saving, deferred: whole.saved - saving.saved - lost };
}

/** What became of the money of one request. */
interface Bill {
  /** Tokens of the transcript that weren't sent. */
  readonly hidden: number;
  readonly changed: CacheLoss | undefined;
  readonly saving: Saving | undefined;
  /** US dollars that declarations which weren't sent would have cost, less what a load made the cache lose. */
  readonly deferred: number;
}

const UNCOUNTED: Pick<ReceiptReport, "tokens" | "budget" | "prefixReason" | "recalled"> = {
  tokens: { transcript: 0, before: 0, after: 0 },
  budget: { tools: 0 },
  prefixReason: undefined,
  recalled: [],
};

/** The one place where saved money is worked out: for rows of requests, receipts and totals. */
export function savingOf({ usage, prices, hidden, fresh, changed, isWarm }: BilledRequest): Saving {
  const { input, cacheRead, cacheWrite = 0 } = usage;
  const read = cacheRead ?? 0;
  const unread = input - read;
  // Without a compaction the transcript would have been read from the cache where the view was, or would have been.
  const wouldRead =
    changed === undefined || isOfClient(changed)
      ? read > 0 && read >= HELD * (input - fresh)
      : isWarm && cacheRead !== undefined;
  const price = wouldRead ? prices.cacheRead : cacheWrite > 0 ? prices.cacheWrite : prices.input;
  const saved = (hidden * price) / MILLION;
  if (changed === undefined || cacheRead === undefined || !isWarm || unread <= 0)
    return { saved, rewritten: 0 };
  const paid = spendOf({ ...usage, output: 0 }, prices);
  const cheapest = spendOf({ input, cacheRead: input }, prices);
  const rewritten = ((paid - cheapest) * (unread - fresh)) / unread;
  // Where even some of what came new wasn't sent, it would have been written, and not read.
  return { saved: saved + Math.max(0, -rewritten), rewritten: Math.max(0, rewritten) };
}
