import type { Compactor, Plan, State, Store } from "../../core/types.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { countAhead } from "./count-ahead.ts";
import type { Loaded } from "./loaded.ts";
import { fitInput } from "./view-of.ts";

/** What requests stood on from a length of the transcript on, in a replay of the past. */
export interface PastState {
  readonly length: number;
  readonly state: State;
}

/** The last replay of each conversation, so that its views can be looked at one by one. */
export interface PastStates {
  keep(tenant: string, conversation: string, states: readonly PastState[]): void;
  at(tenant: string, conversation: string, length: number): State | undefined;
}

/** Conversations whose replay is kept. */
const MAX_KEPT = 20;

export function createPastStates(): PastStates {
  const kept = new Map<string, readonly PastState[]>();
  return {
    keep(tenant, conversation, states) {
      const key = `${tenant} ${conversation}`;
      kept.delete(key);
      kept.set(key, states);
      for (const oldest of kept.keys()) {
        if (kept.size <= MAX_KEPT) break;
        kept.delete(oldest);
      }
    },
    at: (tenant, conversation, length) =>
      kept.get(`${tenant} ${conversation}`)?.findLast((one) => one.length <= length)?.state,
  };
}

/**
 * A compactor that knows of each moment only the compactions that had been made by then. Where the conversation was
 * compacted for real, it adds one of its own only if something wouldn't have fitted; an imported one was never in
 * anybody's care, and is shown as it would have been.
 */
export async function lookBack(
  { records, compactors }: Pick<CompactionParts, "records" | "compactors">,
  tenant: string,
  { choice, stored, transcript }: Loaded,
): Promise<{ readonly compactor: Compactor<unknown>; goTo(length: number): void }> {
  const real = await records.of(tenant).find(stored.map(({ hash }) => hash));
  const wasCompacted = real.checkpoints.some(({ reason }) => reason !== "forced");
  let now = transcript.length;
  const then: Store = {
    async find(hashes) {
      const known = new Set(hashes);
      return {
        ...real,
        checkpoints: real.checkpoints.filter(({ hash, seen }) => seen.messages <= now && known.has(hash)),
      };
    },
    save: async () => {},
  };
  const compactor = compactors.lookingAt(
    wasCompacted ? { ...choice, tuning: { ...choice.tuning, startAt: 1 } } : choice,
    then,
  );
  return {
    compactor,
    goTo(length) {
      now = length;
    },
  };
}

/** What the model was sent when the transcript was as long as this one is loaded. */
export async function pastPlan(
  parts: Pick<CompactionParts, "records" | "compactors" | "windows" | "now"> & {
    readonly pastStates: PastStates;
  },
  tenant: string,
  loaded: Loaded,
): Promise<Plan> {
  await countAhead(parts, loaded);
  const { compactor } = await lookBack(parts, tenant, loaded);
  const state = parts.pastStates.at(tenant, loaded.conversation.id, loaded.transcript.length);
  return compactor.plan(loaded.transcript, { ...fitInput(loaded), now: parts.now(), state });
}
