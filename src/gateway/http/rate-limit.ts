import type { Client } from "./authenticate.ts";
import { RequestFault } from "./request-fault.ts";

const MINUTE_MS = 60_000;

/** Enforces `requestsPerMinute` of client keys, in windows of one minute on each node. */
export function createRateLimit(now: () => number): (client: Client) => void {
  let minute = 0;
  const counts = new Map<string, number>();
  return (client) => {
    const limit = client.limits["requestsPerMinute"];
    if (limit === undefined) return;
    const at = now();
    const current = Math.floor(at / MINUTE_MS);
    if (current !== minute) {
      minute = current;
      counts.clear();
    }
    const key = JSON.stringify([client.tenant, client.id]);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count > limit)
      throw new RequestFault(
        429,
        "rate-limited",
        `precis: the client key ${client.name} may send ${limit} requests per minute.`,
        { retryAfter: Math.ceil((MINUTE_MS - (at % MINUTE_MS)) / 1_000) },
      );
  };
}
