import type { Checkpoint, Store, Summary, Undo } from "../core/types.ts";

/** Records that the default store keeps before it forgets the ones not used for longest. */
const DEFAULT_MAX_RECORDS = 1_000;

/**
 * A bounded store in memory: the default, so that a host that ignores `state` still gets a stable view.
 *
 * @example
 * ```ts
 * import { createCompactor, memoryStore } from "precis";
 * import { openaiChat } from "precis/dialects";
 *
 * const compactor = createCompactor({ dialect: openaiChat, budget: 8_000, store: memoryStore({ maxRecords: 50 }) });
 * await compactor.fit([{ role: "user", content: "hello" }]);
 * ```
 */
export function memoryStore({
  maxRecords = DEFAULT_MAX_RECORDS,
}: {
  readonly maxRecords?: number;
} = {}): Store {
  const checkpoints = new Map<string, Checkpoint[]>();
  const summaries = new Map<string, Summary>();
  const undos = new Map<string, Undo>();
  return {
    async find(hashes) {
      const found: Checkpoint[] = [];
      for (const hash of hashes) {
        const records = checkpoints.get(hash);
        if (!records) continue;
        touch(checkpoints, hash, records);
        found.push(...records);
      }
      return { checkpoints: found, undos: found.flatMap((one) => undos.get(one.id) ?? []) };
    },
    async summaries(keys) {
      return keys.flatMap((key) => summaries.get(key) ?? []);
    },
    async save(records) {
      for (const one of records.checkpoints ?? []) {
        const same = (checkpoints.get(one.hash) ?? []).filter((other) => other.id !== one.id);
        touch(checkpoints, one.hash, [...same, one]);
      }
      for (const one of records.summaries ?? []) touch(summaries, one.key, one);
      for (const one of records.undos ?? []) touch(undos, one.checkpoint, one);
      for (const map of [checkpoints, summaries, undos]) forgetOldest(map, maxRecords);
    },
  };
}

function touch<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
}

function forgetOldest(map: Map<string, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return;
    map.delete(key);
  }
}
