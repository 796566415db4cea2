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

/** Columns of a table, each with its definition in SQL. `integer` is only for the one that numbers the rows. */
type Columns = Readonly<Record<string, string>>;

type ValueOf<D extends string> =
  | (D extends `text${string}` ? string : number)
  | (D extends `${string}not null${string}` ? never : null);

/** A row of a table, by the definitions of its columns. */
export type RowOf<C extends Columns> = { -readonly [K in keyof C]: ValueOf<C[K]> };

/** The columns as `create table` takes them. Only by the word `integer` SQLite takes one for the number of the row itself. */
export const definitionsOf = (columns: Columns, kind: "sqlite" | "postgres"): string =>
  Object.entries(columns)
    .map(([name, sql]) => `${name} ${kind === "postgres" ? sql.replace(/^integer/, "bigint") : sql}`)
    .join(", ");

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

/** Rows that one statement takes, largest first. Few sizes, because a statement is prepared once for each. */
const SIZES = [32, 8, 4, 2, 1] as const;

/** Inserts many rows with few statements. */
export function insertInto<Row extends object>(
  table: string,
  columns: readonly (keyof Row & string)[],
  otherwise = "",
): (list: readonly Row[]) => Script<void> {
  const insert = insertValues(table, columns, otherwise);
  return (list) => insert(list.map((row) => columns.map((name) => row[name])));
}

/**
 * The same, of rows that are lists of their values. Columns that no row had a value for so far are left out: to bind nothing takes
 * nearly as long as to bind a value.
 */
export function insertValues(
  table: string,
  columns: readonly string[],
  otherwise = "",
): (list: readonly (readonly unknown[])[]) => Script<void> {
  const isSaid = columns.map(() => false);
  let said: readonly number[] = [];
  const texts = new Map<number, string>();
  const textOf = (size: number): string => {
    const known = texts.get(size);
    if (known !== undefined) return known;
    const signs = `(${said.map(() => "?").join(", ")})`;
    const values = Array<string>(size).fill(signs).join(", ");
    const names = said.map((index) => columns[index]).join(", ");
    const text = `insert into ${table} (${names}) values ${values} ${otherwise}`;
    texts.set(size, text);
    return text;
  };
  const notice = (row: readonly unknown[]): void => {
    for (let index = 0; index < columns.length; index++) {
      if (isSaid[index] || row[index] === null) continue;
      isSaid[index] = true;
      said = [...columns.keys()].filter((one) => isSaid[one]);
      texts.clear();
    }
  };
  return function* (list) {
    for (const row of list) notice(row);
    for (let at = 0; at < list.length; ) {
      const size = SIZES.find((one) => one <= list.length - at) ?? 1;
      const parameters: unknown[] = [];
      for (let n = at; n < at + size; n++) for (const index of said) parameters.push(list[n]![index]);
      yield { sql: textOf(size), parameters };
      at += size;
    }
  };
}

/** Hashes that one statement handles. */
export const HASHES_PER_STATEMENT = 1_000;

export function* inBatches<T>(list: readonly T[], size: number): Iterable<T[]> {
  for (let i = 0; i < list.length; i += size) yield list.slice(i, i + size);
}

/**
 * Puts a row into a table. Where another one stands in its place: that is an error, or that one stays, or the one with the same
 * `key` gives way. True if the row is in the table now.
 */
export function* putRow(
  table: string,
  row: Readonly<Record<string, unknown>>,
  other: "fails" | "stays" | { readonly key: readonly string[] } = "fails",
): Script<boolean> {
  const names = Object.keys(row);
  const signs = names.map(() => "?").join(", ");
  const written = yield* rows(
    `insert into ${table} (${names.join(", ")}) values (${signs}) ${instead(other, names)} returning tenant`,
    ...Object.values(row),
  );
  return written.length > 0;
}

function instead(other: Parameters<typeof putRow>[2], names: readonly string[]): string {
  if (other === undefined || other === "fails") return "";
  if (other === "stays") return "on conflict do nothing";
  const changed = names
    .filter((name) => !other.key.includes(name))
    .map((name) => `${name} = excluded.${name}`);
  return `on conflict (${other.key.join(", ")}) do update set ${changed.join(", ")}`;
}
