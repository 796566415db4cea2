import type { PostgresPool } from "kysely";
import { numberedOnce, runSoon, type Script } from "../sql/script.ts";

/** What a connection of `pg` can do beside what the query builder needs of it. */
interface PreparingClient {
  query(query: {
    readonly text: string;
    readonly name?: string;
    readonly values?: readonly unknown[];
  }): Promise<{
    readonly rows: readonly unknown[];
  }>;
  release(error?: Error): void;
}

/** Names of prepared statements; beyond these a statement is sent as it is. */
const MAX_NAMES = 200;

/** Runs scripts as transactions. A statement is parsed and planned once for each connection. */
export function scriptRunner(pool: PostgresPool): <T>(script: Script<T>) => Promise<T> {
  const names = new Map<string, string>();
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text);
    if (known !== undefined || names.size >= MAX_NAMES) return known;
    const name = `precis_${names.size}`;
    names.set(text, name);
    return name;
  };
  return async (script) => {
    const client = (await pool.connect()) as unknown as PreparingClient;
    let broken: Error | undefined;
    try {
      await client.query({ text: "begin" });
      const value = await runSoon(script, async ({ sql, parameters }) => {
        const text = numberedOnce(sql);
        const name = nameOf(text);
        const { rows } = await client.query({
          text,
          ...(name !== undefined && { name }),
          values: parameters,
        });
        return rows;
      });
      await client.query({ text: "commit" });
      return value;
    } catch (error) {
      await client.query({ text: "rollback" }).catch((reason: unknown) => {
        // A connection that can't even do that is of no use to anybody.
        broken = reason instanceof Error ? reason : new Error(String(reason));
      });
      throw error;
    } finally {
      client.release(broken);
    }
  };
}
