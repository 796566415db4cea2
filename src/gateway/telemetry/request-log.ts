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
/** Requests that are kept at hand for each tenant. */
const MAX_KEPT = 2_000;
/** Requests are written together, so that a busy server writes no more often than this (milliseconds). */
const WRITE_EVERY_MS = 2_000;
/** Events that are looked through for requests of the time before this process. */
const EVENTS_READ = 1_000;
const DEFAULT_LIMIT = 100;

export function createRequestLog(events: EventStore, log: Log): RequestLog {
  const kept = new Map<string, RequestFact[]>();
  const earlier = new Map<string, Promise<RequestFact[]>>();
  const waiting = new Map<string, RequestFact[]>();
  let timer: NodeJS.Timeout | undefined;

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const batches = [...waiting];
    waiting.clear();
    for (const [tenant, facts] of batches) {
      try {
        await events.append(tenant, { type: TYPE, at: facts.at(-1)!.at, data: facts });
      } catch (error) {
        // It is for looking at; requests don't stop because it can't be written.
        log.warn({ err: error }, "requests could not be written down");
      }
    }
  };
  /** What was written before this process began to note. */
  const before = (tenant: string): Promise<RequestFact[]> => {
    const found = earlier.get(tenant) ?? readEarlier(events, tenant);
    earlier.set(tenant, found);
    return found;
  };

  return {
    flush,
    note(tenant, fact) {
      // Asked for first, or the own ones would be read as earlier ones, too.
      if (!kept.has(tenant)) void before(tenant).catch(() => {});
      const own = kept.get(tenant) ?? [];
      own.push(fact);
      if (own.length > MAX_KEPT) own.shift();
      kept.set(tenant, own);
      waiting.set(tenant, [...(waiting.get(tenant) ?? []), fact]);
      timer ??= setTimeout(() => void flush(), WRITE_EVERY_MS).unref();
    },
    async list(tenant, query = {}) {
      const all = [...(await before(tenant).catch(() => [])), ...(kept.get(tenant) ?? [])];
      return all
        .filter((fact) => matches(fact, query))
        .reverse()
        .slice(0, query.limit ?? DEFAULT_LIMIT);
    },
  };
}

async function readEarlier(events: EventStore, tenant: string): Promise<RequestFact[]> {
  const stored = await events.list(tenant, { newest: true, limit: EVENTS_READ });
  return stored.filter(({ type }) => type === TYPE).flatMap(({ data }) => data as RequestFact[]);
}

function matches(fact: RequestFact, { search, model, client, outcome }: RequestQuery): boolean {
  const words = search?.trim().toLowerCase() ?? "";
  return (
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
