import { setTimeout as wait } from "node:timers/promises";
import { type ApiClient, type LiveEvent, routes } from "../../gateway/api.ts";

/** Between two tries to reach a server that went away (milliseconds). */
const RETRY_MS = 2_000;

/** Hears what happens on the server until `signal` ends it; after a lost connection goes on where it was. */
export async function followEvents(
  api: ApiClient,
  signal: AbortSignal,
  onEvent: (event: LiveEvent) => void,
): Promise<void> {
  let lastId: string | undefined;
  while (!signal.aborted) {
    try {
      const headers = lastId === undefined ? {} : { "last-event-id": lastId };
      for await (const { id, event } of api.stream(routes.events, { signal, headers })) {
        // The greeting's id only counts the events of this connection.
        if (event.type !== "hello") lastId = id ?? lastId;
        onEvent(event);
      }
    } catch {
      // What failed is said by the next request that a person makes; this one only listens.
    }
    await wait(RETRY_MS, undefined, { signal }).catch(() => {});
  }
}
