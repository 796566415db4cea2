import type { PrefixReason, Prices, Report, Usage } from "../../core/types.ts";
import { spendOf } from "../../tokens/spend-of.ts";
import type { RequestFact } from "../api.ts";
import type { TurnTrace } from "../telemetry/open-telemetry.ts";
import type { Action, Turn, TurnParts } from "./turn.ts";

/** What became of a turn's request, as far as it is known: it may have failed half-way. */
export interface ServedTurn {
  readonly from?: RequestFact["from"];
  /** The path of the request without its query, which may hold a key. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly action: Action;
  readonly report?: Report | undefined;
  readonly usage?: Usage | undefined;
}

/** Operators are told of a request: in their list, on pages that are open, and by OpenTelemetry. */
export function noteRequest(
  { windows, requests, live, now }: Pick<TurnParts, "windows" | "requests" | "live" | "now">,
  { client, upstream, asked, recording }: Pick<Turn, "client" | "upstream" | "asked" | "recording">,
  { from, path, status, ms, action, report, usage }: ServedTurn,
  trace: TurnTrace,
): void {
  const { tenant, name } = client;
  const { prices } = windows.of(upstream, asked.model, tenant);
  // What was only observed, or refused, found its cache as it was.
  const isView = action === "view" || action === "compacted" || action === "pass";
  const lost = lostCache({
    report: isView && status < 400 ? report : undefined,
    usage,
    prices,
    hadRequest: recording?.hadRequest ?? false,
    sentBefore: recording?.known.sentTokens,
  });
  if (recording && status < 400)
    recording.known.sentTokens = isView ? report?.tokens.after : report?.tokens.transcript;
  const fact: RequestFact = {
    ...(from && { from }),
    // A request may name none; that is no name.
    model: asked.model || undefined,
    conversation: recording?.known.id,
    upstream: upstream.name,
    ...(name !== undefined && { client: name }),
    ...(usage && { usage }),
    ...(usage && prices && { spend: spendOf(usage, prices) }),
    ...(action === "compacted" && report?.reason && { reason: report.reason }),
    ...(lost && { cacheLost: lost.cause }),
    ...(lost?.spend !== undefined && { lostSpend: lost.spend }),
    at: now(),
    path,
    status,
    outcome: action,
    tokens: report && { before: report.tokens.transcript, after: report.tokens.after },
    ms: Math.round(ms),
  };
  requests.note(tenant, fact);
  if (live.hasListeners) live.send(tenant, { type: "request", ...fact });
  trace.end(fact);
}

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
