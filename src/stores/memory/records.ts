import { forgetOldest } from "../../core/keep-newest.ts";
import type { Store } from "../../core/types.ts";
import type { MemoryContext } from "./tenant-data.ts";

/** The engine's store of one tenant. */
export function memoryRecords(context: MemoryContext, tenant: string): Store {
  return {
    async find(hashes) {
      const data = context.of("find", tenant);
      const { checkpoints: made, summaries, recalled } = data;
      const isEmpty = made.size + summaries.size + recalled.size === 0;
      const wanted = isEmpty ? [] : [...new Set(hashes)];
      const checkpoints = made.withHashes(wanted);
      // They stand on the first message.
      const answers = data.answers.withHashes(hashes.slice(0, 1));
      return {
        checkpoints,
        summaries: summaries.withHashes(wanted),
        undos: checkpoints.flatMap((one) => data.undos.get(one.id)?.record ?? []),
        ...(answers.length > 0 && { answers }),
        recalled: recalled.withHashes(wanted),
      };
    },
    async save({ checkpoints = [], summaries = [], undos = [], answers = [], recalled = [] }) {
      const data = context.of("save", tenant);
      const savedAt = context.now();
      for (const record of checkpoints)
        if (!data.tombstones.has(record.hash)) data.checkpoints.set(record.id, { record, savedAt });
      for (const record of summaries)
        if (!data.tombstones.has(record.hash)) data.summaries.set(record.key, { record, savedAt });
      for (const record of undos) data.undos.set(record.checkpoint, { record, savedAt });
      for (const record of answers)
        if (!data.tombstones.has(record.hash))
          data.answers.set(`${record.hash} ${record.model}`, { record, savedAt });
      for (const record of recalled)
        if (!data.tombstones.has(record.hash))
          data.recalled.set(`${record.checkpoint} ${record.hash}`, { record, savedAt });
      for (const map of [data.checkpoints, data.summaries, data.undos, data.answers, data.recalled])
        forgetOldest(map, context.limits.records);
    },
  };
}
