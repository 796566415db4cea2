import type { Store } from "../../core/types.ts";
import { forgetOldest, type MemoryContext } from "./tenant-data.ts";

/** The engine's store of one tenant. */
export function memoryRecords(context: MemoryContext, tenant: string): Store {
  return {
    async find(hashes) {
      const data = context.of("find", tenant);
      const wanted = new Set(hashes);
      const found = <T extends { readonly hash: string }>(map: ReadonlyMap<string, { readonly record: T }>) =>
        Array.from(map.values(), (held) => held.record).filter((record) => wanted.has(record.hash));
      const checkpoints = found(data.checkpoints);
      // They stand on the first message.
      const answers = [...data.answers.values()].flatMap(({ record }) =>
        record.hash === hashes[0] ? [record] : [],
      );
      return {
        checkpoints,
        summaries: found(data.summaries),
        undos: checkpoints.flatMap((one) => data.undos.get(one.id)?.record ?? []),
        ...(answers.length > 0 && { answers }),
        recalled: found(data.recalled),
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
