import type { Json } from "../http/json.ts";

/** What is remembered of views that were sent, in all (bytes of JSON). */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The last request of each conversation whose view isn't its transcript any more. A summary by continuation repeats the
 * very request that the provider has in its cache, and that is this one.
 */
export interface SentRequests {
  get(conversation: object): { readonly request: Json; readonly bytes: number } | undefined;
  set(conversation: object, request: Json, bytes: number): void;
  delete(conversation: object): void;
}

export function createSentRequests(): SentRequests {
  const sent = new Map<object, { readonly request: Json; readonly bytes: number }>();
  let total = 0;
  const remove = (conversation: object): void => {
    total -= sent.get(conversation)?.bytes ?? 0;
    sent.delete(conversation);
  };
  return {
    get: (conversation) => sent.get(conversation),
    set(conversation, request, bytes) {
      remove(conversation);
      sent.set(conversation, { request, bytes });
      total += bytes;
      for (const oldest of sent.keys()) {
        if (total <= MAX_BYTES) break;
        remove(oldest);
      }
    },
    delete: remove,
  };
}
