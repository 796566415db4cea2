import type { EventStore } from "../../stores/server-store.ts";
import type { RequestFact, RequestQuery } from "../api.ts";
import type { Log } from "./log.ts";

/** Requests of clients, for whoever looks after the server: also after a reload of the page and a restart. */
export interface RequestLog {
  note(tenant: string, fact: RequestFact): void;
  /** The newest that match, newest first. */
  list(tenant: string, query?: RequestQuery): Promise<RequestFact[]>;
  /** Writes what waits. */
  flush(): Promise<void>;
}

const TYPE = "requests";
/** Requests are written together, so that a busy server writes no more often than this (milliseconds). */
const WRITE_EVERY_MS = 2_000;
/** Requests that wait for a store that took none, for each tenant. */
const MAX_WAITING = 2_000;
/** Batches that are looked through for a list. */
const BATCHES_READ = 1_000;
const DEFAULT_LIMIT = 100;

/** All of it is in the store, so that every worker tells of the requests of all, also after a restart. */
export function createRequestLog(events: EventStore, log: Log): RequestLog {
  const waiting = new Map<string, RequestFact[]>();
  let timer: NodeJS.Timeout | undefined;

  const write = async (tenant: string, facts: readonly RequestFact[]): Promise<void> => {
    try {
      await events.append(tenant, { type: TYPE, at: facts.at(-1)!.at, data: facts });
    } catch (error) {
      // It is for looking at; requests don't stop because it can't be written now.
      log.warn({ err: error }, "requests could not be written down");
      waiting.set(tenant, [...facts, ...(waiting.get(tenant) ?? [])].slice(-MAX_WAITING));
    }
  };
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const batches = [...waiting];
    waiting.clear();
    for (const [tenant, facts] of batches) await write(tenant, facts);
  };

  return {
    flush,
    note(tenant, fact) {
      const facts = waiting.get(tenant) ?? [];
      facts.push(fact);
      waiting.set(tenant, facts);
      timer ??= setTimeout(() => void flush(), WRITE_EVERY_MS).unref();
    },
    async list(tenant, query = {}) {
      await flush();
      const batches = await events.list(tenant, { type: TYPE, newest: true, limit: BATCHES_READ });
      const all = [
        ...batches.flatMap(({ data }) => data as RequestFact[]),
        // What the store doesn't take at the moment.
        ...(waiting.get(tenant) ?? []),
      ];
      return all
        .filter((fact) => matches(fact, query))
        .sort((a, b) => b.at - a.at)
        .slice(0, query.limit ?? DEFAULT_LIMIT);
    },
  };
}

function matches(fact: RequestFact, { search, model, client, outcome, from }: RequestQuery): boolean {
  const words = search?.trim().toLowerCase() ?? "";
  return (
    (from === undefined || (fact.from ?? "client") === from) &&
    (model === undefined || fact.model === model) &&
    (client === undefined || fact.client === client) &&
    (outcome === undefined ||
      (outcome === "failed" ? fact.status >= 400 : fact.status < 400 && fact.outcome === outcome)) &&
    (words === "" ||
      [fact.model, fact.client, fact.path, fact.conversation, String(fact.status)].some((text) =>
        text?.toLowerCase().includes(words),
      ))
  );
}
