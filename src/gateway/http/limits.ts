import type { ServerResponse } from "node:http";
import type { Client } from "./authenticate.ts";
import { RequestFault } from "./request-fault.ts";

/** Takes a place among a client's streams of events, until the response ends. Throws if there is none. */
export type LimitStreams = (client: Client, response: Pick<ServerResponse, "once">) => void;

/** Who is this far behind is cut off, before it fills the memory; a page goes on from the last event that it had (bytes). */
export const MOST_UNREAD_BYTES = 16 * 1024 * 1024;

/** When a client that has too many may look again (seconds). */
const RETRY_AFTER = 5;

/** Each tab of a page has one stream, and a second one while it waits for an answer. */
const MAX_STREAMS = 256;

/** Limits the streams that one client has open in this process: each holds a socket and what waits to be read, so one client could take all of either. */
export function createStreamLimit(most = MAX_STREAMS): LimitStreams {
  const counts = new Map<string, number>();
  return (client, response) => {
    const key = JSON.stringify([client.tenant, client.id]);
    const count = counts.get(key) ?? 0;
    if (count >= most)
      throw new RequestFault(
        429,
        "too-many-streams",
        `precis: ${client.name} has ${most} streams of events open, which is the most.`,
        { retryAfter: RETRY_AFTER, fix: "Close some of them." },
      );
    counts.set(key, count + 1);
    response.once("close", () => {
      const left = (counts.get(key) ?? 1) - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    });
  };
}

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
