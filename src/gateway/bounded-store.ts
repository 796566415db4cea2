import { StoreError } from "../core/errors.ts";
import type { ServerStore } from "../stores/server-store.ts";

/** How long a client's answer waits for one call of the store (milliseconds). */
const PATIENCE_MS = 5_000;
/** The same while another call is overdue: the store hangs, and every answer would wait again (milliseconds). */
const SHORT_PATIENCE_MS = 250;

/**
 * The store as answers to clients use it. A call that hangs fails in time, as if the database were away: the answer goes
 * on, and what wasn't stored waits in the spill.
 */
export function boundedStore(store: ServerStore): ServerStore {
  let overdue = 0;

  const inTime = <T>(call: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const ms = overdue > 0 ? SHORT_PATIENCE_MS : PATIENCE_MS;
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        overdue++;
        reject(
          new StoreError({
            operation: "call",
            message: `the database didn't answer within ${ms} ms.`,
            fix: "Look what keeps it busy; what wasn't stored is stored as soon as it answers.",
            cause: new Error("timeout"),
          }),
        );
      }, ms);
      const end = () => {
        clearTimeout(timer);
        if (isLate) overdue--;
      };
      call.then(
        (value) => {
          end();
          resolve(value);
        },
        (error: unknown) => {
          end();
          reject(error);
        },
      );
    });

  const bounded = <T extends object>(part: T): T => {
    const methods = part as Record<string, (...args: unknown[]) => unknown>;
    const made: Record<string, unknown> = {};
    for (const name of Object.keys(methods))
      made[name] = (...args: unknown[]) => {
        const result = methods[name]!(...args);
        return result instanceof Promise ? inTime(result) : result;
      };
    return made as T;
  };

  return {
    ...store,
    conversations: bounded(store.conversations),
    clientKeys: bounded(store.clientKeys),
    streams: bounded(store.streams),
    records: (tenant) => bounded(store.records(tenant)),
  };
}
