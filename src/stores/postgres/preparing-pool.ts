import type { PostgresPool, PostgresPoolClient } from "kysely";
import { isOutdated, type PreparingClient, type StatementNames } from "./statement-names.ts";

/** Reads are few different statements that come again and again; writes of the query builder come in all lengths. */
const IS_READ = /^\s*select\b/i;

/** The pool as the query builder sees it: reads are prepared. `end` is what the query builder does when it is done. */
export function preparingPool(
  pool: PostgresPool,
  names: StatementNames | undefined,
  end: () => Promise<void>,
): PostgresPool {
  const { options } = pool;
  if (!names) return { options, connect: () => pool.connect(), end };
  // The query builder knows connections by their objects.
  const known = new WeakMap<PostgresPoolClient, PostgresPoolClient>();
  return {
    options,
    end,
    async connect() {
      const client = await pool.connect();
      const made = known.get(client) ?? preparingClient(client, names);
      known.set(client, made);
      return made;
    },
  };
}

function preparingClient(client: PostgresPoolClient, names: StatementNames): PostgresPoolClient {
  const preparing = client as unknown as PreparingClient;
  const query = async (text: string, values: readonly unknown[]): Promise<unknown> => {
    const name = IS_READ.test(text) ? names.of(text) : undefined;
    if (name === undefined) return client.query(text, values);
    try {
      return await preparing.query({ text, name, values });
    } catch (error) {
      if (!isOutdated(error)) throw error;
      names.renew();
      // In a transaction this fails, too, and the transaction is run again.
      return preparing.query({ text, name: names.of(text), values }).catch(() => {
        throw error;
      });
    }
  };
  return {
    ...(client.processID !== undefined && { processID: client.processID }),
    query: query as PostgresPoolClient["query"],
    release: (destroy) => client.release(destroy),
  };
}
