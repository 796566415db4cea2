import type { Store } from "../../core/types.ts";
import { forgetOldest, type MemoryContext } from "./tenant-data.ts";

/** The engine's store of one tenant. */
export function memoryRecords(context: MemoryContext, tenant: string): Store {
  return {
    async find(hashes) {
      const data = context.of("find", tenant);
      const wanted = [...new Set(hashes)];
      const checkpoints = wanted.flatMap((hash) => data.checkpoints.withHash(hash));
      // They stand on the first message.
      const answers = hashes.slice(0, 1).flatMap((hash) => data.answers.withHash(hash));
      return {
        checkpoints,
        summaries: wanted.flatMap((hash) => data.summaries.withHash(hash)),
        undos: checkpoints.flatMap((one) => data.undos.get(one.id)?.record ?? []),
        ...(answers.length > 0 && { answers }),
        recalled: wanted.flatMap((hash) => data.recalled.withHash(hash)),
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
