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
import type { Prices, SummaryCheck, Usage } from "../core/types.ts";
import { billOf, isOfClient, type ReceiptReport, type SentRequest, sentAfter } from "./billing.ts";
import { modelInfo, spendOf } from "./model-info.ts";

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
