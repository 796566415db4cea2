import { forgetOldest } from "../core/keep-newest.ts";

/** After a failure the model isn't asked again before the conversation's pressure has grown by this much. */
const GROWTH = 0.05;
/** This many failures in a row open the circuit: nobody asks. */
const FAILURES = 3;
/** The circuit closes by itself after this time (milliseconds). */
const OPEN_MS = 5 * 60_000;
/** Conversations whose last failure is remembered. */
const MAX_CONVERSATIONS = 10_000;

/** Decides whether a failing summariser is asked again. */
export interface Circuit {
  allows(conversation: string, pressure: number, now: number): boolean;
  /** The model is asked. What follows is told with `succeeded`, `failed` or `ended`. */
  begun(conversation: string): void;
  succeeded(conversation: string): void;
  failed(conversation: string, pressure: number, now: number): void;
  /** It came to nothing, and that says nothing about the model. */
  ended(conversation: string): void;
  /** A compaction was applied, maybe while the model was still busy: pressure starts over. */
  applied(conversation: string): void;
}

export function createCircuit(): Circuit {
  const failedAt = new Map<string, number>();
  /** Conversations that the model is busy with; true once a compaction was applied meanwhile. */
  const busy = new Map<string, boolean>();
  let failures = 0;
  let openUntil = Number.NEGATIVE_INFINITY;
  return {
    allows(conversation, pressure, now) {
      if (now < openUntil) return false;
      const before = failedAt.get(conversation);
      return before === undefined || pressure >= Math.min(1, before + GROWTH);
    },
    begun: (conversation) => void busy.set(conversation, false),
    ended: (conversation) => void busy.delete(conversation),
    succeeded(conversation) {
      busy.delete(conversation);
      failures = 0;
      openUntil = Number.NEGATIVE_INFINITY;
      failedAt.delete(conversation);
    },
    failed(conversation, pressure, now) {
      failures++;
      // The pressure that it failed at is gone with the compaction that didn't wait for it.
      if (busy.get(conversation) !== true) failedAt.set(conversation, pressure);
      busy.delete(conversation);
      forgetOldest(failedAt, MAX_CONVERSATIONS);
      if (failures >= FAILURES) {
        openUntil = now + OPEN_MS;
        // One attempt after the pause decides whether it opens again.
        failures = FAILURES - 1;
      }
    },
    applied(conversation) {
      failedAt.delete(conversation);
      if (busy.has(conversation)) busy.set(conversation, true);
    },
  };
}
