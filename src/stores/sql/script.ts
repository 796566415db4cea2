/** One statement, with `?` for each of its values. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/**
 * A piece of work as the statements that it needs, one after the other; each gives back its rows. A database that lives
 * in the process runs all of it at once, one behind a connection waits in between: the work is written once for both.
 */
export type Script<T> = Generator<Statement, T, readonly unknown[]>;

/** Runs one statement of a script and gives its rows. */
export function* rows<R>(sql: string, ...parameters: readonly unknown[]): Script<readonly R[]> {
  return (yield { sql, parameters }) as readonly R[];
}

export function* firstRow<R>(sql: string, ...parameters: readonly unknown[]): Script<R | undefined> {
  return (yield* rows<R>(sql, ...parameters))[0];
}

type Condition = readonly [sql: string, ...values: readonly unknown[]];

/** Conditions that all hold, with their values: one that is always asked for, and others, unless one of their values is undefined. */
export function allOf(
  always: Condition,
  ...others: readonly Condition[]
): { readonly where: string; readonly values: readonly unknown[] } {
  const asked = [always, ...others.filter(([, ...values]) => !values.includes(undefined))];
  return {
    where: asked.map(([sql]) => sql).join(" and "),
    values: asked.flatMap(([, ...values]) => values),
  };
}

/** Runs a script on a database that answers at once. */
export function runNow<T>(script: Script<T>, run: (statement: Statement) => readonly unknown[]): T {
  let step = script.next();
  while (!step.done) step = script.next(run(step.value));
  return step.value;
}

/** Runs a script on a database behind a connection. */
export async function runSoon<T>(
  script: Script<T>,
  run: (statement: Statement) => Promise<readonly unknown[]>,
): Promise<T> {
  let step = script.next();
  while (!step.done) step = script.next(await run(step.value));
  return step.value;
}

/** Texts of statements that are remembered. */
const MAX_TEXTS = 1_000;
const texts = new Map<string, string>();

/** Numbered signs in place of the `?`, as PostgreSQL has them. */
export function numberedOnce(sql: string): string {
  const known = texts.get(sql);
  if (known !== undefined) return known;
  let count = 0;
  const made = sql.replace(/\?/g, () => `$${++count}`);
  if (texts.size < MAX_TEXTS) texts.set(sql, made);
  return made;
}
