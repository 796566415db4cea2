import { StoreError } from "../../core/errors.ts";
import type { EventQuery } from "../server-store/beside.ts";

/** Refuses places in the list of events that none can have. */
export function checkEventQuery(query: EventQuery): void {
  for (const name of ["after", "before"] as const) {
    const id = query[name];
    if (id === undefined || Number.isSafeInteger(id)) continue;
    throw new StoreError({
      operation: "events.list",
      message: `\`${name}\` is ${id}.`,
      fix: "Give the id of an event, or leave it out.",
    });
  }
}
