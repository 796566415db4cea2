import type { PostgresPool } from "kysely";
import { numberedOnce, runSoon, type Script } from "../sql/script.ts";
import { type PreparingClient, statementNames } from "./statement-names.ts";

/** Runs scripts as transactions. A statement is parsed and planned once for each connection. */
export function scriptRunner(pool: PostgresPool): <T>(script: Script<T>) => Promise<T> {
  const nameOf = statementNames();
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
