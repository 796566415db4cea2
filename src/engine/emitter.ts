import type { Compactor, Events } from "../core/types.ts";
import { check, oneOf } from "./refuse.ts";

type Listener = (payload: never) => void;

/** Typed events. */
export interface Emitter {
  emit<K extends keyof Events>(event: K, payload: Events[K]): void;
  readonly on: Compactor<unknown>["on"];
}

const EVENTS: readonly (keyof Events)[] = [
  "started",
  "progress",
  "completed",
  "failed",
  "cancelled",
  "pressure",
];

/** A listener that throws doesn't fail the conversation. */
export function createEmitter(): Emitter {
  const listeners = new Map<keyof Events, Set<Listener>>();
  return {
    emit(event, payload) {
      for (const listener of listeners.get(event) ?? []) {
        try {
          const heard: unknown = listener(payload as never);
          // One that is asynchronous throws later.
          if (heard instanceof Promise) heard.catch(() => undefined);
        } catch {
          // The listener's own matter: what it was told about has already happened.
        }
      }
    },
    on(event, listener) {
      oneOf("on", String(event), EVENTS);
      check(
        "on",
        listener ?? "",
        typeof listener === "function",
        "a listener",
        'Call `on("completed", (event) => …)`.',
      );
      const set = listeners.get(event) ?? new Set();
      listeners.set(event, set.add(listener as Listener));
      return () => set.delete(listener as Listener);
    },
  };
}
