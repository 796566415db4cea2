import type { StoredEvent } from "../server-store.ts";

/** How much the events of one tenant may hold before the oldest are forgotten. */
export interface EventLimits {
  readonly events: number;
  /** Characters of their data as JSON: one event may tell of hundreds of requests. */
  readonly eventCharacters: number;
}

/** What events are chosen by. */
type EventHead = Omit<StoredEvent, "data">;

/** An event's data as JSON: so nobody can change it afterwards, and hundreds of requests are one text. */
type HeldEvent = EventHead & { readonly json: string };

/** The events of one tenant, oldest first. */
export class HeldEvents {
  #events: HeldEvent[] = [];
  #characters = 0;

  get size(): number {
    return this.#events.length;
  }

  /** At most so many that are wanted: the first ones, or the newest. */
  list(isWanted: (event: EventHead) => boolean, size = this.size, newest = false): StoredEvent[] {
    const found = this.#events.filter(isWanted);
    return (newest ? found.slice(-size) : found.slice(0, size)).map(stored);
  }

  add({ id, type, conversation, at, data }: StoredEvent, { events, eventCharacters }: EventLimits): void {
    const json = JSON.stringify(data ?? null);
    this.#events.push({ id, type, conversation, at, json });
    this.#characters += json.length;
    let gone = 0;
    // The newest stays, however large it is.
    while (
      gone < this.#events.length - 1 &&
      (this.#events.length - gone > events || this.#characters > eventCharacters)
    )
      this.#characters -= this.#events[gone++]!.json.length;
    if (gone > 0) this.#events.splice(0, gone);
  }

  /** Forgets all others. Returns how many they were. */
  keep(isKept: (event: EventHead) => boolean): number {
    const before = this.#events.length;
    this.#events = this.#events.filter(isKept);
    this.#characters = this.#events.reduce((sum, { json }) => sum + json.length, 0);
    return before - this.#events.length;
  }
}

function stored({ json, ...event }: HeldEvent): StoredEvent {
  return { ...event, data: JSON.parse(json) as unknown };
}
