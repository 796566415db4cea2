import { numberedOnce, runSoon, type Script, type Statement } from "../sql/script.ts";
import { hungOf } from "./explain.ts";
import { isOutdated, type PreparingClient, type StatementNames } from "./statement-names.ts";

/** Begins a transaction that sees one moment and changes nothing. */
export const BEGIN_SNAPSHOT = "begin isolation level repeatable read read only";

/** Runs statements of scripts. Each is parsed and planned once for each connection. */
export function statementRunner(
  client: PreparingClient,
  names: StatementNames | undefined,
): (statement: Statement) => Promise<readonly unknown[]> {
  return async ({ sql, parameters }) => {
    const text = numberedOnce(sql);
    const { rows } = await client.query({ text, name: names?.of(text), values: parameters });
    return rows;
  };
}

/** Runs a script that changes nothing, and gives the connection back. */
export async function readAndRelease<T>(
  client: PreparingClient,
  names: StatementNames | undefined,
  script: Script<T>,
): Promise<T> {
  const run = statementRunner(client, names);
  let broken: Error | undefined;
  try {
    return await runSoon(script, (statement) =>
      run(statement).catch((error: unknown) => {
        broken = hungOf(error);
        if (!names || !isOutdated(error)) throw error;
        names.renew();
        return run(statement);
      }),
    );
  } finally {
    client.release(broken);
  }
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
    const value = await runSoon(script, statementRunner(client, names));
    await client.query({ text: "commit" });
    return value;
  } catch (error) {
    if (isOutdated(error)) names?.renew();
    broken = hungOf(error);
    if (!broken)
      await client.query({ text: "rollback" }).catch((reason: unknown) => {
        // A connection that can't even do that is of no use to anybody.
        broken = reason instanceof Error ? reason : new Error(String(reason));
      });
    throw error;
  } finally {
    client.release(broken);
  }
}
