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
  const checkpoints = new Map<string, readonly Checkpoint[]>();
  const summaries = new Map<string, readonly Summary[]>();
  const undos = new Map<string, Undo>();
  return {
    async find(hashes) {
      const found = hashes.flatMap((hash) => lookUp(checkpoints, hash));
      return {
        checkpoints: found,
        summaries: hashes.flatMap((hash) => lookUp(summaries, hash)),
        undos: found.flatMap((one) => undos.get(one.id) ?? []),
      };
    },
    async save(records) {
      for (const one of records.checkpoints ?? []) {
        const same = (checkpoints.get(one.hash) ?? []).filter((other) => other.id !== one.id);
        touch(checkpoints, one.hash, [...same, one]);
      }
      for (const one of records.summaries ?? []) {
        const same = (summaries.get(one.hash) ?? []).filter((other) => other.key !== one.key);
        touch(summaries, one.hash, [...same, one]);
      }
      for (const one of records.undos ?? []) touch(undos, one.checkpoint, one);
      for (const map of [checkpoints, summaries, undos]) forgetOldest(map, maxRecords);
    },
  };
}

/** The records under a key, which counts as a use of them. */
function lookUp<V>(map: Map<string, readonly V[]>, key: string): readonly V[] {
  const found = map.get(key);
  if (!found) return [];
  touch(map, key, found);
  return found;
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
