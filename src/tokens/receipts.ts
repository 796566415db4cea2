import {
  type Checks,
  checkNames,
  checkUsage,
  duration,
  given,
  isObject,
  ofTokens,
  refused,
  text,
  timestamp,
} from "../core/check.ts";
import type { PrefixReason, Prices, Report, SummaryCheck, Usage } from "../core/types.ts";
import { modelInfo, spendOf } from "./model-info.ts";

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
  /** Tools that had been loaded, where they are loaded on demand. */
  readonly loaded?: number | undefined;
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

/** What the next request of a conversation is compared with, and whether the provider still had the one before; undefined: that can't be told. */
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
): { readonly sent: SentRequest; readonly isHit: boolean | undefined } {
  const tokens = isView ? report?.tokens.after : report?.tokens.transcript;
  const isSame = report?.prefixReason === undefined && !hasLoaded(before, deferred);
  const grown = tokens !== undefined && before?.tokens !== undefined ? tokens - before.tokens : 0;
  const scale =
    isSame && grown > 0 && usage && before?.input !== undefined ? (usage.input - before.input) / grown : 0;
  // A first request finds nothing anywhere.
  const reads = isFirst || usage?.cacheRead === undefined ? undefined : usage.cacheRead > 0;
  const isReading = reads !== undefined && isSame && (before?.input ?? 0) >= LEAST_CACHED;
  return {
    sent: {
      tokens,
      input: usage?.input,
      hidden: report ? hidden : 0,
      // Pictures and the like are counted otherwise; a number that can't be is none.
      scale: scale > 0.5 && scale < 2 ? scale : before?.scale,
      readsCache: before?.readsCache || (reads ?? before?.readsCache),
      ...(deferred && { loaded: deferred.loaded }),
    },
    isHit: isReading ? usage!.cacheRead! >= before!.input! / 2 : undefined,
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

/** A request of a conversation, or a summary that was written for it. */
export interface ReceiptItem {
  readonly id: string;
  readonly isSummary?: boolean;
  /** The request that a summary was asked for in. */
  readonly cause?: string | undefined;
  /** The compaction that the view stood on. */
  readonly checkpoint?: string | undefined;
  /** Tokens of the transcript that weren't sent. */
  readonly hidden?: number;
  /** US dollars that they would have cost, and what the cache lost by a change of precis's; undefined where prices aren't known. */
  readonly saved?: number | undefined;
  readonly rewritten?: number | undefined;
  /** US dollars for it. */
  readonly spend?: number | undefined;
  /** US dollars that declarations which weren't sent would have cost, less what it cost to load some; part of no compaction. */
  readonly deferred?: number;
  /** What the view hides was quoted in it. */
  readonly isQuoting?: boolean;
  /** US dollars of it for rounds in which the model looked up what is hidden. */
  readonly lookUps?: number | undefined;
  /** Whether the records of the compaction said what was used next. */
  readonly summaryCheck?: SummaryCheck | undefined;
  /** Calls that the agent made again, by the compaction that hid their results. */
  readonly repeated?: readonly { readonly checkpoint: string; readonly text: string }[];
}

/** What one compaction came to so far. Money is in US dollars. */
export interface Receipt {
  readonly checkpoint: string;
  /** The first request that stood on it. */
  readonly request: string;
  /** Requests that stood on it, and those of them whose price isn't known. */
  readonly requests: number;
  readonly unpriced: number;
  /** Tokens that weren't sent because of it, over all of these requests, and what they would have cost. */
  readonly tokens: number;
  readonly saved: number;
  /** What it cost: calls for its summaries, the provider's cache that was written anew, and what came back: quoted or looked up. */
  readonly summaries: number;
  readonly rewritten: number;
  readonly quotations: number;
  /** `saved` less all of its costs. */
  readonly net: number;
  /** Requests after which it had paid for itself; undefined: it hasn't yet. */
  readonly paidAfter: number | undefined;
  readonly summaryCheck?: SummaryCheck | undefined;
  /** What the agent did again within ten rounds, because its result was hidden. */
  readonly repeated: readonly string[];
}

/** What all compactions of a conversation came to. */
export interface Receipts {
  readonly compactions: readonly Receipt[];
  /** US dollars that were paid for requests and summaries, and that they were less than without precis; negative if more. */
  readonly spend: number;
  readonly net: number;
}

/** A request that was answered: the report of its view, and what the provider counted. */
export interface AnsweredRequest {
  readonly report: ReceiptReport;
  readonly usage: Usage;
  /** When it was sent (milliseconds); left out: soon after the one before it. */
  readonly at?: number;
  /** The model that answered. Default: the model of all. */
  readonly model?: string;
}

/** What holds of all requests of a conversation. */
interface ReceiptsOptions {
  readonly model?: string;
  /** Default: those that the registry knows. */
  readonly prices?: Prices;
  /** How long the provider keeps a prompt. Default: 5 minutes. */
  readonly cacheTtlMs?: number;
}

const FIX = "Give `{ report, usage: { input, output }, at }` for each answer, the report as `fit` gave it.";
/** Refuses numbers that have to be there, and aren't. */
function amounts(from: unknown, option: string, names: readonly string[], fix: string): void {
  const values = (isObject(from) ? from : {}) as Record<string, unknown>;
  for (const name of names) {
    if (!Number.isFinite(values[name])) throw refused(`${option}.${name}`, "it isn't a number.", fix);
    ofTokens(0)(values[name], `${option}.${name}`);
  }
}
const name = text("Give the model's name.");
const OPTIONS: Checks<ReceiptsOptions> = {
  model: name,
  prices(prices, option) {
    const fix = "Give US dollars per million tokens: `{ input, cacheRead, cacheWrite, output }`.";
    if (given(prices)) amounts(prices, option, ["input", "cacheRead", "cacheWrite", "output"], fix);
  },
  cacheTtlMs: duration,
};

/** Refuses what money can't be worked out from: it would come out as no number, or as a wrong one. */
function checkAnswered(answered: readonly AnsweredRequest[], options: ReceiptsOptions): void {
  if (!Array.isArray(answered)) throw refused("answered", "it isn't a list.", FIX);
  if (!isObject(options))
    throw refused("options", "it isn't an object.", 'Give `{ model: "gpt-4o" }`, or leave it out.');
  checkNames(options, OPTIONS);
  for (const [index, one] of answered.entries()) {
    const option = `answered[${index}]`;
    if (!isObject(one)) throw refused(option, "it isn't an object.", FIX);
    // Hosts keep more with it.
    const { report, usage, at, model } = one as { readonly [K in keyof AnsweredRequest]: unknown };
    const { tokens, budget, recalled } = (report ?? {}) as Partial<ReceiptReport>;
    amounts(tokens, `${option}.report.tokens`, ["transcript", "before", "after"], FIX);
    amounts(budget, `${option}.report.budget`, ["tools"], FIX);
    if (!Array.isArray(recalled)) throw refused(`${option}.report.recalled`, "it isn't a list.", FIX);
    checkUsage(usage ?? {}, `${option}.usage`, FIX);
    amounts(usage, `${option}.usage`, ["input"], FIX);
    const { cacheRead, cacheWrite } = usage as Usage;
    ofTokens(0)(cacheRead, `${option}.usage.cacheRead`);
    ofTokens(0)(cacheWrite, `${option}.usage.cacheWrite`);
    timestamp(at, `${option}.at`);
    name(model, `${option}.model`);
  }
}

/**
 * What each compaction of a conversation saved and cost so far, from the reports of its requests and the provider's usage, the oldest
 * first, and what the agent did again because of it. It is worked out as the gateway does it.
 *
 * @example
 * const answered: AnsweredRequest[] = []; // one for each answer, stored where you like
 * const { compactions, net } = compactionReceipts(answered, { model: "gpt-4o" });
 */
export function compactionReceipts(
  answered: readonly AnsweredRequest[],
  options: ReceiptsOptions = {},
): Receipts {
  checkAnswered(answered, options);
  const { model = "", prices: known, cacheTtlMs } = options;
  let before: SentRequest | undefined;
  const items = answered.flatMap(({ report, usage, at, model: own = model }, index): ReceiptItem[] => {
    const isFirst = index === 0;
    const prices = known ?? modelInfo(own).prices;
    const last = answered[index - 1]?.at;
    const idleMs = at === undefined || last === undefined ? undefined : at - last;
    const { hidden, saving } = billOf(before, {
      report,
      usage,
      prices,
      isFirst,
      idleMs,
      cacheMs: cacheTtlMs,
    });
    before = sentAfter(before, { report, usage, hidden, isFirst }).sent;
    const id = String(index);
    const { checkpoint, prefixReason, summaryCheck, repeated } = report;
    const isOurs = !isFirst && prefixReason !== undefined && !isOfClient(prefixReason);
    const item = {
      id,
      checkpoint,
      hidden,
      spend: prices && spendOf(usage, prices),
      saved: saving?.saved,
      rewritten: isOurs ? saving?.rewritten : 0,
      isQuoting: (report.quoted ?? report.recalled).length > 0,
      summaryCheck,
      repeated: (repeated?.calls ?? []).map((text) => ({ checkpoint: repeated!.checkpoint, text })),
    };
    return report.cost > 0
      ? [item, { id: `${id}s`, isSummary: true, cause: id, spend: report.cost }]
      : [item];
  });
  return receiptsOf(items);
}

/** A receipt that requests are still added to. */
type Open = { -readonly [K in keyof Receipt]: Receipt[K] } & {
  /** Tokens that it hides in each request, beside those that were hidden before it. */
  readonly hides: number;
  /** The compactions that it stands on, itself included. */
  chain: readonly Open[];
  readonly again: string[];
};

/** What each compaction of a conversation saved and cost so far, from its requests and summaries, the oldest first. */
export function receiptsOf(items: Iterable<ReceiptItem>): Receipts {
  const byCheckpoint = new Map<string, Open>();
  const madeIn = new Map<string, Open>();
  let chain: readonly Open[] = [];
  /** Summaries that no compaction uses yet. */
  let waiting = 0;
  let spend = 0;
  let net = 0;
  for (const item of items) {
    spend += item.spend ?? 0;
    if (item.isSummary) {
      net -= item.spend ?? 0;
      const made = madeIn.get(item.cause ?? "");
      if (made) {
        // It may be paid after the request that it was asked for in.
        made.summaries += item.spend ?? 0;
        if (netOf(made) < 0) made.paidAfter = undefined;
      } else waiting += item.spend ?? 0;
      continue;
    }
    net += (item.saved ?? 0) + (item.deferred ?? 0) - (item.rewritten ?? 0) - (item.lookUps ?? 0);
    const { checkpoint, hidden = 0, repeated = [] } = item;
    if (checkpoint === undefined) {
      chain = [];
      continue;
    }
    let newest = byCheckpoint.get(checkpoint);
    if (newest === undefined) {
      newest = opened(checkpoint, item, hidden, chain);
      newest.summaries = waiting;
      waiting = 0;
      byCheckpoint.set(checkpoint, newest);
      madeIn.set(item.id, newest);
    }
    chain = newest.chain;
    addTo(newest, item, hidden);
    for (const { checkpoint: because, text } of repeated) byCheckpoint.get(because)?.again.push(text);
  }
  return { compactions: [...byCheckpoint.values()].map(closed), spend, net };
}

/** A compaction at its first request. It stands on those before it that hide no more than it does. */
function opened(
  checkpoint: string,
  { id, summaryCheck }: ReceiptItem,
  hidden: number,
  before: readonly Open[],
): Open {
  const under: Open[] = [];
  let sum = 0;
  for (const one of before) {
    if (sum + one.hides > hidden) break;
    sum += one.hides;
    under.push(one);
  }
  const made: Open = {
    checkpoint,
    request: id,
    requests: 0,
    unpriced: 0,
    tokens: 0,
    saved: 0,
    summaries: 0,
    rewritten: 0,
    quotations: 0,
    net: 0,
    paidAfter: undefined,
    ...(summaryCheck && { summaryCheck }),
    repeated: [],
    hides: hidden - sum,
    chain: [],
    again: [],
  };
  made.chain = [...under, made];
  return made;
}

/** Shares out what a request saved among the compactions that its view stands on. */
function addTo(
  newest: Open,
  { saved, rewritten = 0, lookUps = 0, isQuoting = false }: ReceiptItem,
  hidden: number,
): void {
  const price = hidden > 0 && saved !== undefined ? saved / hidden : 0;
  const usual = newest.chain.reduce((sum, one) => sum + one.hides, 0);
  for (const one of newest.chain) {
    one.requests++;
    if (saved === undefined) one.unpriced++;
    one.tokens += one.hides;
    one.saved += one.hides * price;
  }
  // What is quoted is sent again. Else the view shortens more or less than at first, or its tokens are counted a little otherwise.
  newest.tokens += hidden - usual;
  if (isQuoting && hidden < usual) newest.quotations += (usual - hidden) * price;
  else newest.saved += (hidden - usual) * price;
  newest.rewritten += rewritten;
  newest.quotations += lookUps;
  for (const one of newest.chain) if (saved !== undefined && netOf(one) >= 0) one.paidAfter ??= one.requests;
}

const netOf = ({ saved, summaries, rewritten, quotations }: Open): number =>
  saved - summaries - rewritten - quotations;

function closed(one: Open): Receipt {
  const { hides: _, chain: __, again, ...receipt } = one;
  return { ...receipt, net: netOf(one), repeated: again };
}
