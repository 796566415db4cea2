import type { PrefixReason, Prices, Report, Usage } from "../../core/types.ts";
import { spendOf } from "../../tokens/spend-of.ts";

/** A request whose beginning isn't what the provider has in its cache. */
interface LostCache {
  readonly cause: PrefixReason;
  /** US dollars that it cost more than with its cache; undefined where prices or what the cache held aren't known. */
  readonly spend: number | undefined;
}

/** What is known of a turn's request when it was served. */
interface Served {
  readonly report: Report | undefined;
  readonly usage: Usage | undefined;
  readonly prices: Prices | undefined;
  /** A request of the conversation was sent before this one: without one, no cache can be lost. */
  readonly hadRequest: boolean;
  /** Tokens of the view that was sent before. */
  readonly sentBefore: number | undefined;
}

/** Why the provider's cache was of less use than it could have been, and what that cost. Undefined: it was of full use. */
export function lostCache({ report, usage, prices, hadRequest, sentBefore }: Served): LostCache | undefined {
  if (!report?.prefixReason || !hadRequest) return undefined;
  const cause = report.prefixReason;
  // Where the provider doesn't tell what it read from its cache, nobody can tell what was lost.
  if (!usage || !prices || usage.cacheRead === undefined) return { cause, spend: undefined };
  const unread = usage.input - usage.cacheRead;
  // What was said since the last request would have been paid for with any cache.
  const fresh = sentBefore === undefined ? 0 : Math.max(0, report.tokens.before - sentBefore);
  const lost = Math.max(0, unread - fresh);
  const paid = spendOf({ ...usage, output: 0 }, prices);
  const read = spendOf({ input: usage.input, cacheRead: usage.input }, prices);
  return { cause, spend: unread > 0 ? ((paid - read) * lost) / unread : 0 };
}
