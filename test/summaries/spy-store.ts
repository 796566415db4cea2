import type { Checkpoint, Store, Summary } from "../../src/core/types.ts";

/** A store that remembers what it was given. */
export interface SpyStore extends Store {
  summaries(): readonly Summary[];
  checkpoints(): readonly Checkpoint[];
}

export function spyStore(store: Store): SpyStore {
  const summaries: Summary[] = [];
  const checkpoints: Checkpoint[] = [];
  return {
    find: (hashes) => store.find(hashes),
    async save(records) {
      summaries.push(...(records.summaries ?? []));
      checkpoints.push(...(records.checkpoints ?? []));
      await store.save(records);
    },
    summaries: () => summaries,
    checkpoints: () => checkpoints,
  };
}
