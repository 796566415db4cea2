import type { StoredEvent } from "../server-store.ts";

/** How much the events of one tenant may hold before the oldest are forgotten. */
export interface EventLimits {
  readonly events: number;
  /** Characters of their data as JSON: one event may tell of hundreds of requests. */
  readonly eventCharacters: number;
}

/** The events of one tenant, oldest first. */
export class HeldEvents {
  #events: { readonly event: StoredEvent; readonly characters: number }[] = [];
  #characters = 0;

  get size(): number {
    return this.#events.length;
  }

  *[Symbol.iterator](): Iterator<StoredEvent> {
    for (const { event } of this.#events) yield event;
  }

  /** Adds an event whose data was read from so many characters. */
  add(event: StoredEvent, characters: number, { events, eventCharacters }: EventLimits): void {
    this.#events.push({ event, characters });
    this.#characters += characters;
    let gone = 0;
    // The newest stays, however large it is.
    while (
      gone < this.#events.length - 1 &&
      (this.#events.length - gone > events || this.#characters > eventCharacters)
    )
      this.#characters -= this.#events[gone++]!.characters;
    if (gone > 0) this.#events.splice(0, gone);
  }

  /** Forgets all others. Returns how many they were. */
  keep(isKept: (event: StoredEvent) => boolean): number {
    const before = this.#events.length;
    this.#events = this.#events.filter(({ event }) => isKept(event));
    this.#characters = this.#events.reduce((sum, { characters }) => sum + characters, 0);
    return before - this.#events.length;
  }
}
