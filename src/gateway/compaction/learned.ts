import { keepNewest } from "../../core/collections.ts";
import type { LearnedStore, LearnedValue } from "../../stores/server-store.ts";
import type { CacheReading } from "../../tokens/billing.ts";
import type { Log } from "../telemetry/log.ts";

/** A model's window, how long its provider keeps a prompt, how it counts. */
type Kind = "window" | "cache" | "count";
/** Whose it is. `upstream` names neither key nor address; an empty tenant stands for all. */
export type LearnedOf = Pick<LearnedValue, "tenant" | "upstream" | "model">;

/** Values of a tenant that are remembered, as many as the store keeps. */
const MAX_VALUES = 1_000;
/** Values that wait for a store that takes none. */
const MAX_UNWRITTEN = 10_000;
/** Longer names are made up (characters). */
const MAX_NAME = 200;
/** So far the clocks of servers may differ (milliseconds). */
const CLOCKS_MS = 5 * 60_000;

/** What is learned of models. The store keeps it, so that it outlives the process and servers share it. */
export type Learned = ReturnType<typeof createLearned>;

/** Without a store, it is remembered as long as the process lives. */
export function createLearned(
  parts?: { readonly store: LearnedStore; readonly log: Pick<Log, "warn">; now(): number } | undefined,
) {
  type Known = Pick<LearnedValue, "value" | "at">;
  /** By tenant: one that makes up names forgets its own. */
  const values = new Map<string, Map<string, Known>>();
  const unwritten = new Map<string, LearnedValue>();
  const now = (): number => parts?.now() ?? 0;
  const startedAt = now();
  let readUpTo = 0;
  let running = Promise.resolve();
  let next: Promise<void> | undefined;

  const keyOf = (kind: string, { upstream, model }: LearnedOf): string =>
    JSON.stringify([kind, upstream, model]);
  const remember = ({ kind, value, at, ...of }: LearnedValue): void => {
    const known = values.get(of.tenant) ?? new Map<string, Known>();
    values.set(of.tenant, known);
    keepNewest(known, keyOf(kind, of), { value, at }, MAX_VALUES);
  };
  const exchange = async ({ store, log }: NonNullable<typeof parts>): Promise<void> => {
    try {
      const rows = [...unwritten];
      if (rows.length > 0) await store.put(rows.map(([, row]) => row));
      for (const [name, row] of rows) if (unwritten.get(name) === row) unwritten.delete(name);
      const began = now();
      // What was learned here meanwhile is newer.
      for (const row of (await store.list(readUpTo)).reverse())
        if (row.at > (values.get(row.tenant)?.get(keyOf(row.kind, row))?.at ?? -1)) remember(row);
      readUpTo = began - CLOCKS_MS;
    } catch (error) {
      // It is learned again; requests don't stop because of it.
      if (unwritten.size > 0) log.warn({ err: error }, "what was learned of models can't be stored now");
    }
  };
  const share = (): Promise<void> => {
    if (!parts) return running;
    next ??= running.then(() => {
      next = undefined;
      running = exchange(parts);
      return running;
    });
    return next;
  };
  return {
    /** Writes what is new, and reads what other servers wrote. A server does it before it listens, and then again and again. */
    share,
    /** `isOld`: it was learned before this process began. */
    get<T>(kind: Kind, of: LearnedOf): { readonly value: T; readonly isOld: boolean } | undefined {
      const known = values.get(of.tenant)?.get(keyOf(kind, of));
      return known && { value: known.value as T, isOld: known.at < startedAt };
    },
    set(kind: Kind, of: LearnedOf, value: unknown): void {
      const row = { ...of, kind, value, at: now() };
      remember(row);
      if (!parts || of.model.length > MAX_NAME) return;
      keepNewest(unwritten, JSON.stringify([of.tenant, keyOf(kind, of)]), row, MAX_UNWRITTEN);
      // The others change with every request.
      if (kind === "window") void share();
    },
  };
}

/** Times for which providers keep a prompt that isn't used again; 0: nothing is kept (milliseconds). */
const CANDIDATES = [0, 5 * 60_000, 60 * 60_000];
/** So many readings more have to speak against the others before a time is believed: one may be an accident. */
const ENOUGH = 4;
/** More aren't counted, so that another plan of the provider is noticed as soon. */
const MOST_AGAINST = 32;

/** What is kept of one model. */
interface CacheTime {
  /** Readings that speak against each candidate, less those that speak against the likeliest. */
  readonly against: readonly number[];
  /** A conversation was seen to read its own messages from the cache. */
  readonly isRead: boolean;
}

/** How long providers keep a prompt that isn't used again, learned from what they report. */
export type CacheTimes = ReturnType<typeof createCacheTimes>;

export function createCacheTimes(learned: Learned = createLearned()) {
  // A provider keeps prompts alike, whoever asks.
  const known = (upstream: string, model: string) =>
    learned.get<CacheTime>("cache", { tenant: "", upstream, model })?.value;
  return {
    /** `idleMs`: how long after the request before it. */
    learn(upstream: string, model: string, { isHit, isReader }: CacheReading, idleMs: number): void {
      const before = known(upstream, model);
      // Some clients don't ask to be cached: what isn't read then says nothing of those that do.
      if (before?.isRead && !isReader) return;
      const counts = before?.isRead === isReader ? before.against : [];
      const sums = CANDIDATES.map((ms, at) => (counts[at] ?? 0) + (idleMs <= ms === isHit ? 0 : 1));
      const least = Math.min(...sums);
      const against = sums.map((sum) => Math.min(MOST_AGAINST, sum - least));
      learned.set("cache", { tenant: "", upstream, model }, { against, isRead: isReader });
    },
    /** Milliseconds; 0 for a provider that keeps nothing; undefined while too little is known. */
    of(upstream: string, model: string): number | undefined {
      const likely = known(upstream, model)?.against.flatMap((count, at) => (count < ENOUGH ? [at] : []));
      return likely?.length === 1 ? CANDIDATES[likely[0]!] : undefined;
    },
  };
}
