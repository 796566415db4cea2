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
/** Requests are written together, after so long at the latest (milliseconds). */
const WRITE_EVERY_MS = 2_000;
/**
 * Requests that are written as one event, so that no list has to read more of them than it wants. So many don't wait any longer:
 * the garbage collector moves about what waits.
 */
const BATCH = 200;
/** Requests that wait for a store that takes none, for each tenant; the oldest are given up. */
const MAX_WAITING = 10_000;
/** Events that a list reads at once, and in all; and requests that it looks through. */
const BATCHES_AT_ONCE = 50;
const MAX_BATCHES = 1_000;
const MAX_LOOKED_THROUGH = 20_000;
const DEFAULT_LIMIT = 100;

/** All of it is in the store, so that every worker tells of the requests of all, also after a restart. */
export function createRequestLog(events: EventStore, log: Log): RequestLog {
  const waiting = new Map<string, RequestFact[]>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  /** Writes what waits, as long as it is at least so many. */
  const write = async (tenant: string, least: number): Promise<void> => {
    try {
      for (
        let facts = waiting.get(tenant);
        facts !== undefined && facts.length >= least;
        facts = waiting.get(tenant)
      ) {
        const batch = facts.slice(0, BATCH);
        const last = batch.at(-1)!;
        await events.append(tenant, { type: TYPE, at: last.at, data: batch });
        // While it was written, others may have come, and the oldest may have been given up.
        facts.splice(0, facts.indexOf(last) + 1);
        if (facts.length === 0) waiting.delete(tenant);
      }
    } catch (error) {
      // It is for looking at; requests don't stop because it can't be written now.
      log.warn({ err: error }, "requests could not be written down");
    }
  };
  /** One after the other: a store that takes nothing is asked once, however many requests come. */
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(async () => {
      for (const tenant of [...waiting.keys()]) await write(tenant, 1);
    });
    return writing;
  };
  const writeBatches = (tenant: string): void => {
    writing = writing.then(() => write(tenant, BATCH));
  };

  /** The newest first, page by page. */
  async function* stored(tenant: string): AsyncGenerator<readonly RequestFact[]> {
    let before: number | undefined;
    for (let read = 0; read < MAX_BATCHES; read += BATCHES_AT_ONCE) {
      const batches = await events.list(tenant, {
        type: TYPE,
        newest: true,
        limit: BATCHES_AT_ONCE,
        ...(before !== undefined && { before }),
      });
      yield batches.flatMap(({ data }) => data as RequestFact[]);
      if (batches.length < BATCHES_AT_ONCE) return;
      before = batches[0]!.id;
    }
  }

  return {
    flush,
    note(tenant, fact) {
      const facts = waiting.get(tenant) ?? [];
      facts.push(fact);
      if (facts.length > MAX_WAITING) facts.shift();
      waiting.set(tenant, facts);
      // Not once more for those behind them: a store that takes nothing is left to the timer.
      if (facts.length === BATCH) writeBatches(tenant);
      timer ??= setTimeout(() => void flush(), WRITE_EVERY_MS).unref();
    },
    async list(tenant, query = {}) {
      await flush();
      const { limit = DEFAULT_LIMIT } = query;
      // What the store doesn't take at the moment.
      const found = (waiting.get(tenant) ?? []).filter((fact) => matches(fact, query));
      let lookedThrough = 0;
      for await (const page of stored(tenant)) {
        for (const fact of page) if (matches(fact, query)) found.push(fact);
        lookedThrough += page.length;
        if (found.length >= limit || lookedThrough >= MAX_LOOKED_THROUGH) break;
      }
      return found.sort((a, b) => b.at - a.at).slice(0, limit);
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
