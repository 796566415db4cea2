import type { Prices } from "../../core/types.ts";
import { compactionReceipts } from "../../tokens/index.ts";
import type { Replay } from "./simulate.ts";
import type { Survival } from "./survival.ts";

/** What a replay comes to, beside what sending everything would have come to. Estimated, if only a sample was replayed. */
export interface ReplayTotals {
  readonly requests: number;
  readonly compactions: number;
  /** Prompt tokens over all requests, tools included. */
  readonly sent: number;
  readonly sentWithout: number;
  /** Share of the prompt tokens that was the same as at the front of the request before. */
  readonly unchanged: number;
  readonly unchangedWithout: number;
  readonly largest: number;
  readonly budget: number;
  readonly transcript: number;
  /** Ordinal of the first request that would not have fitted without precis. */
  readonly firstTooLong: number | undefined;
  /** Requests after a pause in which the provider's cache had expired. */
  readonly cold: number;
  readonly cost: ReplayCost | undefined;
  /** What of the conversation the last view still says. */
  readonly survival?: Survival;
}

/** US dollars, by the same accounts as in a receipt of the gateway: without precis it would have been the net more. */
interface ReplayCost {
  readonly with: { readonly total: number };
  readonly without: { readonly total: number };
}

export function totalsOf(replay: Replay, prices?: Prices): ReplayTotals {
  const { requests, every } = replay;
  const sent = sum(requests, ({ tokens, tools }) => tokens + tools);
  const sentWithout = sum(requests, ({ full, tools }) => full + tools);
  const later = requests.slice(1);
  const unchanged = sum(later, (request) => request.unchanged + request.tools);
  const unchangedWithout = sum(
    later,
    ({ full, tools }, before) => Math.min(requests[before]!.full, full) + tools,
  );
  const firstTooLong = requests.findIndex((request) => request.full > request.budget);
  return {
    requests: requests.length * every,
    compactions: replay.compactions.length,
    sent: sent * every,
    sentWithout: sentWithout * every,
    unchanged: sent === 0 ? 0 : unchanged / sent,
    unchangedWithout: sentWithout === 0 ? 0 : unchangedWithout / sentWithout,
    largest: largest(requests, ({ tokens }) => tokens),
    budget: requests.at(-1)?.budget ?? replay.budget?.budget ?? 0,
    transcript: requests.at(-1)?.full ?? 0,
    firstTooLong: firstTooLong < 0 ? undefined : firstTooLong * every,
    cold: requests.filter(({ isCold }) => isCold).length * every,
    cost: prices && costOf(replay, prices),
    ...(replay.survival && { survival: replay.survival }),
  };
}

function costOf({ answered, every }: Replay, prices: Prices): ReplayCost {
  const { spend, net } = compactionReceipts(answered, { prices });
  return { with: { total: spend * every }, without: { total: (spend + net) * every } };
}

const sum = <T>(all: readonly T[], of: (one: T, at: number) => number): number =>
  all.reduce((total, one, at) => total + of(one, at), 0);

/** The largest of all; `Math.max` can't take the requests of a very long session as arguments. */
export const largest = <T>(all: readonly T[], of: (one: T) => number): number =>
  all.reduce((most, one) => Math.max(most, of(one)), 0);
