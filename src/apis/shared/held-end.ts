import type { Json } from "./fields.ts";

/** No round ends with more events. */
const MOST_HELD = 64;

/** Events that belong to the end of a round, and wait until it is known to be the last. */
interface HeldEnd {
  /** Returns what waits no longer: the oldest of more events than any round ends with. */
  hold(event: Json): readonly Json[];
  clear(): void;
  readonly events: readonly Json[];
}

export function createHeldEnd(): HeldEnd {
  let events: Json[] = [];
  return {
    hold(event) {
      events.push(event);
      return events.length > MOST_HELD ? events.splice(0, 1) : [];
    },
    clear() {
      events = [];
    },
    get events() {
      return events;
    },
  };
}
