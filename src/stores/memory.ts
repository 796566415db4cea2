import { forgetOldest } from "../core/collections.ts";
import type { AnswerSizes, Checkpoint, Recalled, Store, Summary, Undo } from "../core/types.ts";

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
  const answers = new Map<string, readonly AnswerSizes[]>();
  const recalled = new Map<string, readonly Recalled[]>();
  return {
    async find(hashes) {
      const found = lookUp(checkpoints, hashes, ({ length }) => length);
      // They stand on the first message.
      const sizes = lookUp(answers, hashes.slice(0, 1), () => 1);
      return {
        checkpoints: found,
        summaries: lookUp(summaries, hashes, ({ covers }) => covers.to),
        undos: found.flatMap((one) => undos.get(one.id) ?? []),
        ...(sizes.length > 0 && { answers: sizes }),
        recalled: lookUp(recalled, hashes, ({ length }) => length),
      };
    },
    async save(records) {
      for (const one of records.checkpoints ?? []) put(checkpoints, one, ({ id }) => id === one.id);
      for (const one of records.summaries ?? []) put(summaries, one, ({ key }) => key === one.key);
      for (const one of records.undos ?? []) touch(undos, one.checkpoint, one);
      for (const one of records.answers ?? []) put(answers, one, ({ model }) => model === one.model);
      for (const one of records.recalled ?? [])
        put(recalled, one, ({ checkpoint }) => checkpoint === one.checkpoint);
      for (const map of [checkpoints, summaries, undos, answers, recalled]) forgetOldest(map, maxRecords);
    },
  };
}

/** The records under any of the hashes, which counts as a use of them. */
function lookUp<V extends { readonly hash: string }>(
  map: Map<string, readonly V[]>,
  hashes: readonly string[],
  lengthOf: (record: V) => number,
): V[] {
  // The n-th hash names the first n messages, so a record's own length tells where its hash would stand: with fewer
  // records than messages this saves looking up every message of a long transcript on every call.
  const keys =
    map.size < hashes.length
      ? [...map].flatMap(([hash, records]) =>
          records.some((one) => hashes[lengthOf(one) - 1] === hash) ? [hash] : [],
        )
      : hashes.filter((hash) => map.has(hash));
  return keys.flatMap((key) => {
    const records = map.get(key)!;
    touch(map, key, records);
    return records;
  });
}

/** Adds a record to those of its hash, in place of the same one. */
function put<V extends { readonly hash: string }>(
  map: Map<string, readonly V[]>,
  record: V,
  isSame: (other: V) => boolean,
): void {
  const others = (map.get(record.hash) ?? []).filter((other) => !isSame(other));
  touch(map, record.hash, [...others, record]);
}

function touch<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
}
