import type { TextIndex } from "./recall/index-messages.ts";
import type { Script } from "./script.ts";

/** Everything in which one database differs from another. What isn't set has the default beside it. */
export interface SqlEngine {
  readonly kind: "sqlite" | "postgres";
  /** Opens the database, before anything else. Once it is open, nothing more happens. */
  open(): Promise<void>;
  /** Runs a script that changes nothing. */
  readonly read: ReadScript;
  transact<T>(script: Script<T>): Promise<T>;
  /** The database is in this process, and one transaction writes at a time. Default: it is behind a connection. */
  readonly isLocal?: true;
  /** The key of a new conversation. */
  newKey(): Script<number>;
  /** Its full text search. */
  readonly textIndex: TextIndex;
  /** Rows can be locked with `for update`. Default false: a writing transaction is alone. */
  readonly lockRows?: boolean;
  /** The clock that all nodes share, as an SQL expression. Default: the process's own. */
  readonly clock?: string;
  /**
   * For scripts: what stands behind `from` to get the rows of a table whose column is one of many values. Its first `?` is
   * `value` of these, its second one the tenant.
   */
  readonly rowsOf: { from(table: string, column: string): string; value(values: readonly string[]): unknown };
  /** Is told how many appends were written together. */
  appended?(count: number): void;
  /** For scripts: a table of given values and their places. Its one `?` is `rowsOf.value` of these. */
  readonly among: { readonly from: string; readonly value: string; readonly place: string };
  /** For scripts: true when a column's value is one of many. Its `?` is `rowsOf.value` of these. */
  isOneOf(column: string): string;
  /** Waits for the lock of the given name; it ends with the transaction. Default: nothing to wait for. */
  readonly lockName?: string;
  /** A conflict between two transactions that goes away by running one of them again. Default never. */
  isConflict?(error: unknown): boolean;
  /** What failed and what to do about it, for errors that it knows. */
  explain(error: unknown): Explained | undefined;
  /** Runs `work` on data that doesn't change meanwhile. */
  snapshot<T>(work: (read: ReadScript) => AsyncIterable<T>): AsyncIterable<T>;
  bytes(): Promise<number | undefined>;
  vacuum(): Promise<void>;
  /** Writes a whole copy into a new file. Default: there is no file to copy. */
  backup?(file: string): Promise<void>;
  /** Makes sure that deleted text is gone from the files. Default: the database sees to it. */
  scrub?(): Promise<void>;
  /** Lets go of files and connections. */
  close(): Promise<void>;
}

/** Runs a script that changes nothing. */
export type ReadScript = <T>(script: Script<T>) => Promise<T>;

/** Runs a script, which is made anew for every try, as a transaction. */
export type RunScript = <T>(script: () => Script<T>) => Promise<T>;

/** An error of the database in words. */
export interface Explained {
  readonly message: string;
  readonly fix: string;
}
