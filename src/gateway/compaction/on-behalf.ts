import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingHttpHeaders } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { ModelError } from "../../core/errors.ts";
import { contentHash } from "../../core/hash.ts";
import { stringifyDeep } from "../../core/json.ts";
import type { Model, ModelRequest, Reason } from "../../core/types.ts";
import type { LeaseStore } from "../../stores/server-store.ts";
import type { TimelineFact } from "../api.ts";
import type { Upstream } from "../upstream/upstream.ts";

/** Whom a compactor works for: one serves many conversations, and its events don't say which. */
export interface Behalf {
  /** Whose key pays where the server has none. Kept nowhere: work in the background inherits it from whoever began it. */
  readonly sent?: SentKeys;
  /** The name of the client's key. */
  readonly client?: string | undefined;
  /** Undefined until it is in the store. */
  conversation?(): string | undefined;
  /** Ends summaries that are being written for it, those in the background included. */
  readonly signal?: AbortSignal;
  /** Why its summaries are made, and in which request. */
  cause?(): { readonly reason?: string | undefined; readonly request?: string | undefined };
  onStarted?(reason: Reason): void;
  onFailed?(message: string): void;
  /** What the timeline of the conversation is to say. */
  noted?(fact: TimelineFact): void;
}

/** What a client sent along with a request. */
interface SentKeys {
  readonly headers: IncomingHttpHeaders;
  /** The key that the client showed was for us. */
  readonly keyIsOurs: boolean;
  /** Where the request goes. No other upstream ever gets its key. */
  readonly upstream: Upstream | undefined;
}

const working = new AsyncLocalStorage<Behalf>();

/** Runs a compactor's work; what goes on in the background afterwards still knows whom it is for. */
export function onBehalfOf<T>(behalf: Behalf, work: () => T): T {
  return working.run(behalf, work);
}

export function currentBehalf(): Behalf | undefined {
  return working.getStore();
}

/** A node that dies while it writes a summary is taken over after this long (milliseconds). */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** A summary may take several requests, one after the other: the lease is held so much longer than each (milliseconds). */
const LINGER_MS = 1_000;
/** How often a node that waits for another one's summary looks whether it is there (milliseconds). */
const LOOK_EVERY_MS = 250;

/** A held lease. */
interface Flight {
  readonly owner: string;
  /** Requests under way. */
  requests: number;
  readonly renewing: NodeJS.Timeout;
  releasing: NodeJS.Timeout | undefined;
}

/**
 * Lets one node at a time write summaries of a conversation: another one may be a few messages further, but what it would
 * ask for is the same summary. It waits until that is there, and asks for nothing itself; its next view finds it in the store.
 */
export function singleFlight(
  model: Model,
  { leases, tenant, node }: { readonly leases: LeaseStore; readonly tenant: string; readonly node: string },
): Model {
  /** By the name of the lease. */
  const flights = new Map<string, Flight>();

  const take = async (lease: string): Promise<Flight | undefined> => {
    const held = flights.get(lease);
    if (held) return held;
    const owner = `${node}/${++count}`;
    if (!(await leases.acquire(tenant, lease, owner, LEASE_MS))) return flights.get(lease);
    const renewing = setInterval(() => {
      leases.renew(tenant, lease, owner, LEASE_MS).catch(() => {});
    }, RENEW_MS);
    renewing.unref();
    const flight: Flight = { owner, requests: 0, renewing, releasing: undefined };
    flights.set(lease, flight);
    return flight;
  };

  const leave = (lease: string, flight: Flight): void => {
    if (--flight.requests > 0) return;
    flight.releasing = setTimeout(() => {
      clearInterval(flight.renewing);
      flights.delete(lease);
      leases.release(tenant, lease, flight.owner).catch(() => {});
    }, LINGER_MS);
    flight.releasing.unref();
  };

  return {
    ...model,
    async complete(request) {
      const lease = leaseOf(model, request);
      const flight = await take(lease);
      if (!flight) {
        await landed(() => leases.acquire(tenant, lease, WATCHER, 1), request.signal);
        throw elsewhere(model);
      }
      clearTimeout(flight.releasing);
      flight.requests++;
      try {
        return await model.complete(request);
      } finally {
        leave(lease, flight);
      }
    },
  };
}

/** Whoever looks whether a lease is free takes it for a moment. */
const WATCHER = "watcher";
let count = 0;

/** One for each conversation and model; for a request without a conversation, one of its own. */
function leaseOf(model: Model, { name, system, messages, continues }: ModelRequest): string {
  const conversation = currentBehalf()?.conversation?.();
  const what = conversation === undefined ? [name, system, messages, continues] : [conversation];
  return `summary/${contentHash(stringifyDeep([model.id, ...what]))}`;
}

/** Resolves when nobody holds the lease any more. */
async function landed(isFree: () => Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  do await wait(LOOK_EVERY_MS, undefined, { ...(signal && { signal }), ref: false });
  while (!(await isFree()));
}

function elsewhere(model: Model): ModelError {
  return new ModelError({
    model: model.id,
    failure: "cancelled",
    message: "another node wrote this summary meanwhile.",
    fix: "Nothing is to be done: it is used as soon as it is there.",
  });
}
