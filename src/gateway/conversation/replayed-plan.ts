import { keepNewest } from "../../core/keep-newest.ts";
import type { Compactor, Plan, State, Store } from "../../core/types.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { countAhead } from "./count-ahead.ts";
import type { Loaded } from "./loaded.ts";
import { fitInput } from "./view-of.ts";

/** What requests stand on from a length of the transcript on, in a replay. */
export interface ReplayedState {
  readonly length: number;
  readonly state: State;
}

/** The last replay of each conversation, so that its views can be looked at one by one. */
export interface ReplayedStates {
  keep(tenant: string, conversation: string, states: readonly ReplayedState[]): void;
  at(tenant: string, conversation: string, length: number): State | undefined;
}

/** Conversations whose replay is kept. */
const MAX_KEPT = 20;

export function createReplayedStates(): ReplayedStates {
  const kept = new Map<string, readonly ReplayedState[]>();
  return {
    keep(tenant, conversation, states) {
      keepNewest(kept, `${tenant} ${conversation}`, states, MAX_KEPT);
    },
    at: (tenant, conversation, length) =>
      kept.get(`${tenant} ${conversation}`)?.findLast((one) => one.length <= length)?.state,
  };
}

/** Knows nothing and keeps nothing: a replay finds no compaction that there was. */
const NOTHING: Store = {
  find: async () => ({ checkpoints: [], summaries: [], undos: [] }),
  save: async () => {},
};

/** A compactor under the conversation's own settings that knows nothing of what was done before. */
export const replayCompactor = (
  { compactors }: Pick<CompactionParts, "compactors">,
  { choice }: Loaded,
): Compactor<unknown> => compactors.lookingAt(choice, NOTHING);

/** What the last replay sent when the transcript was as long as this one is loaded. */
export async function replayedPlan(
  parts: Pick<CompactionParts, "compactors" | "windows" | "now"> & {
    readonly replayedStates: ReplayedStates;
  },
  tenant: string,
  loaded: Loaded,
): Promise<Plan> {
  await countAhead(parts, loaded);
  const state = parts.replayedStates.at(tenant, loaded.conversation.id, loaded.transcript.length);
  return replayCompactor(parts, loaded).plan(loaded.transcript, {
    ...fitInput(loaded),
    now: parts.now(),
    state,
  });
}
