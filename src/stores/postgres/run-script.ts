import type { PostgresPool } from "kysely";
import { numberedOnce, runSoon, type Script } from "../sql/script.ts";
import { isOutdated, type PreparingClient, type StatementNames } from "./statement-names.ts";

/** Runs scripts as transactions. A statement is parsed and planned once for each connection. */
export function scriptRunner(
  pool: PostgresPool,
  names: StatementNames,
): <T>(script: Script<T>) => Promise<T> {
  return async (script) => runAndRelease((await pool.connect()) as unknown as PreparingClient, names, script);
}

/** Runs a script as a transaction, and gives the connection back. */
export async function runAndRelease<T>(
  client: PreparingClient,
  names: StatementNames | undefined,
  script: Script<T>,
): Promise<T> {
  let broken: Error | undefined;
  try {
    await client.query({ text: "begin" });
    const value = await runSoon(script, async ({ sql, parameters }) => {
      const text = numberedOnce(sql);
      const { rows } = await client.query({ text, name: names?.of(text), values: parameters });
      return rows;
    });
    await client.query({ text: "commit" });
    return value;
  } catch (error) {
    if (isOutdated(error)) names?.renew();
    await client.query({ text: "rollback" }).catch((reason: unknown) => {
      // A connection that can't even do that is of no use to anybody.
      broken = reason instanceof Error ? reason : new Error(String(reason));
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
