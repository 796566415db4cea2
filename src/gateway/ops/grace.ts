import { setTimeout as sleep } from "node:timers/promises";

/** The time between "no more requests, please" and the drain. */
export interface Grace {
  /** True from its beginning on. */
  isLeaving(): boolean;
  /** Resolves when it is over; `hurry` ends it. */
  leave(ms: number, hurry?: AbortSignal): Promise<void>;
}

/** Balancers send requests until they have heard that a node isn't ready: one that closed its port at once would refuse them. */
export function createGrace(): Grace {
  let isLeaving = false;
  return {
    isLeaving: () => isLeaving,
    async leave(ms, hurry) {
      isLeaving = true;
      // It ends by itself or is ended: either way it is over.
      if (ms > 0) await sleep(ms, undefined, hurry && { signal: hurry }).catch(() => {});
    },
  };
}
