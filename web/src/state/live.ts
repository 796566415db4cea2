import { type LiveEvent, routes } from "../../../src/gateway/api.ts";
import type { Api } from "./api-client.ts";
import { createStore } from "./store.ts";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;

interface LiveState {
  readonly connection: "connecting" | "open" | "lost";
}

export type Live = ReturnType<typeof openLive>;

/**
 * Follows the server's events for as long as the page is open. After a break it asks for what came after the last event
 * that it saw; if the server no longer has that, `hello` says `missed` and everything is read anew.
 */
export function openLive(
  api: Api,
  wait: (ms: number) => Promise<void> = sleep,
  network?: Pick<EventTarget, "addEventListener">,
) {
  const store = createStore<LiveState>({ connection: "connecting" });
  const listeners = new Set<(event: LiveEvent) => void>();
  const abort = new AbortController();
  let last: string | undefined;
  let connection = new AbortController();
  let wake = () => {};
  // A machine that loses its network doesn't always notice that its connections are dead.
  network?.addEventListener("offline", () => connection.abort());
  network?.addEventListener("online", () => wake());

  const follow = async () => {
    const headers = last === undefined ? {} : { "last-event-id": last };
    // Nobody can say what came while no try to connect had gone well.
    const isLate = last === undefined && store.get().connection === "lost";
    connection = new AbortController();
    const signal = AbortSignal.any([abort.signal, connection.signal]);
    for await (const { id, event } of api.stream(routes.events, { signal, headers })) {
      if (id !== undefined) last = id;
      if (store.get().connection !== "open") store.set({ connection: "open" });
      const news = isLate && event.type === "hello" ? { ...event, missed: true } : event;
      for (const listener of [...listeners]) listener(news);
    }
  };

  void (async () => {
    let waitMs = FIRST_WAIT_MS;
    while (!abort.signal.aborted) {
      const before = last;
      await follow().catch(() => undefined);
      if (abort.signal.aborted) return;
      store.set({ connection: "lost" });
      // A connection that carried something was a good one.
      waitMs = last === before ? Math.min(waitMs * 2, LONGEST_WAIT_MS) : FIRST_WAIT_MS;
      await Promise.race([
        wait(waitMs),
        new Promise<void>((resolve) => {
          wake = resolve;
        }),
      ]);
    }
  })();

  return {
    store,
    on(listener: (event: LiveEvent) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Connects now instead of waiting: what stood in the way is gone. */
    tryAgain: () => wake(),
    close: () => abort.abort(),
  };
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
