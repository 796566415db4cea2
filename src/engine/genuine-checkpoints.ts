import type { GenuineCheckpoints, PackedForm } from "../core/checkpoint.ts";
import { sameValue } from "../core/same-value.ts";
import type { Checkpoint } from "../core/types.ts";
import type { TextRoom } from "./text-room.ts";

/** Copies that nobody else has: records come from hosts, who may change them. */
interface Known {
  readonly checkpoint: Checkpoint;
  readonly from?: PackedForm;
}

export interface GenuineMemory extends GenuineCheckpoints {
  /** A record that was made here, and that nobody else is handed. */
  own(checkpoint: Checkpoint): void;
}

/**
 * Remembers checkpoints that were found genuine. A record of others is known by all that it says, never by its id or by being
 * the same object: one that differs in a single character is another one, and is checked like any other.
 */
export function createGenuineCheckpoints(room: TextRoom): GenuineMemory {
  /** By id. Those of states are without the system prompt, so the same one is another record in a store. */
  const fromStates = new Map<string, { readonly known: Known; use(): void }>();
  const fromStores = new Map<string, { readonly known: Known; use(): void }>();
  const own = new WeakSet<Checkpoint>();
  return {
    own: (checkpoint) => void own.add(checkpoint),
    has(checkpoint) {
      if (own.has(checkpoint)) return true;
      const record = fromStores.get(checkpoint.id);
      if (!record || !sameValue(record.known.checkpoint, checkpoint)) return false;
      record.use();
      return true;
    },
    unpacked(from) {
      const record = fromStates.get(from.packed.id);
      if (!record || !sameValue(record.known.from, from)) return undefined;
      record.use();
      return record.known.checkpoint;
    },
    add(checkpoint, from) {
      const { id } = checkpoint;
      const json = jsonOf({ checkpoint, ...(from && { from }) });
      if (json === undefined) return;
      const records = from ? fromStates : fromStores;
      const known = JSON.parse(json) as Known;
      const forget = () => {
        room.leave(known);
        if (records.get(id)?.known === known) records.delete(id);
      };
      const before = records.get(id);
      if (before) room.leave(before.known);
      const use = () => room.take(known, json.length, forget);
      records.set(id, { known, use });
      own.add(known.checkpoint);
      use();
    },
  };
}

/** Undefined where a host put into a record what no JSON has. */
function jsonOf(known: Known): string | undefined {
  try {
    return JSON.stringify(known);
  } catch {
    return undefined;
  }
}
