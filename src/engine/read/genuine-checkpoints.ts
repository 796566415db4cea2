import type { GenuineCheckpoints } from "../../core/checkpoint.ts";
import { sameValue } from "../../core/same-message.ts";
import type { Checkpoint } from "../../core/types.ts";
import type { TextRoom } from "./transcript-reader.ts";

export interface GenuineMemory extends GenuineCheckpoints {
  /** A record that was made here, and that nobody else is handed. */
  own(checkpoint: Checkpoint): void;
}

/**
 * Remembers checkpoints that were found genuine. A record of others is known by all that it says, never by its id or by being
 * the same object: one that differs in a single character is another one, and is checked like any other.
 */
export function createGenuineCheckpoints(room: TextRoom): GenuineMemory {
  /** Copies that nobody else has: records come from hosts, who may change them. */
  const known = new Map<string, { readonly copy: Checkpoint; use(): void }>();
  const own = new WeakSet<Checkpoint>();
  return {
    own: (checkpoint) => void own.add(checkpoint),
    find(checkpoint) {
      if (own.has(checkpoint)) return checkpoint;
      const record = known.get(keyOf(checkpoint));
      if (!record || !sameValue(record.copy, checkpoint)) return undefined;
      record.use();
      return record.copy;
    },
    add(checkpoint) {
      const json = jsonOf(checkpoint);
      if (json === undefined) return checkpoint;
      const key = keyOf(checkpoint);
      const copy = JSON.parse(json) as Checkpoint;
      const forget = () => {
        room.leave(copy);
        if (known.get(key)?.copy === copy) known.delete(key);
      };
      const before = known.get(key);
      if (before) room.leave(before.copy);
      const use = () => room.take(copy, json.length, forget);
      known.set(key, { copy, use });
      own.add(copy);
      use();
      return copy;
    },
  };
}

/** That of a state is without the system prompt, so the same one is another record in a store. */
function keyOf({ id, texts }: Checkpoint): string {
  return `${id} ${Object.keys(texts).length}`;
}

/** Undefined where a host put into a record what no JSON has. */
function jsonOf(checkpoint: Checkpoint): string | undefined {
  try {
    return JSON.stringify(checkpoint);
  } catch {
    return undefined;
  }
}
