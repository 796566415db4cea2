import { hash } from "node:crypto";

/** What is needed of a pool of `pg`. */
export interface PostgresPool {
  connect(): Promise<{ release(error?: boolean | Error): void }>;
  end(): Promise<void>;
}

/** Connections that may break without ending the process. */
const heard = new WeakSet<PreparingClient>();

export async function connectTo(pool: PostgresPool): Promise<PreparingClient> {
  const client = (await pool.connect()) as unknown as PreparingClient;
  if (!heard.has(client)) {
    heard.add(client);
    // The query that is under way fails, which says enough. Without a listener the event would end the process, and a pool hears
    // only connections that nobody uses.
    client.on?.("error", () => {});
  }
  return client;
}

/** What a connection of `pg` can do. */
export interface PreparingClient {
  query<R = unknown>(query: {
    readonly text: string;
    readonly name?: string | undefined;
    readonly values?: readonly unknown[];
    readonly query_timeout?: number;
  }): Promise<{
    readonly rows: readonly R[];
  }>;
  release(error?: Error): void;
  on?(event: "error", listener: () => void): unknown;
}

/** Names of prepared statements: what has one is parsed and planned once for each connection. */
export interface StatementNames {
  /** Undefined for a statement that is sent as it is. */
  of(text: string): string | undefined;
  /** All statements get another name, because a newer node has changed a table that they were prepared for. */
  renew(): void;
}

/** Others, which change the schema, run once. */
const IS_PLANNED = /^\s*(?:select|insert|update|delete|with)\b/i;
/** Beyond these a statement is sent as it is. */
const MAX_NAMES = 200;
/** Several stores may share a pool, so that a name has to say which statement it means (characters of its hash). */
const NAME_CHARS = 16;

export function statementNames(): StatementNames {
  const names = new Map<string, string>();
  let generation = 0;
  return {
    of(text) {
      const known = names.get(text);
      if (known !== undefined || names.size >= MAX_NAMES || !IS_PLANNED.test(text)) return known;
      const name = `precis_${hash("sha256", text, "hex").slice(0, NAME_CHARS)}_${generation}`;
      names.set(text, name);
      return name;
    },
    renew() {
      names.clear();
      generation++;
    },
  };
}

/** A table has another column than when the statement was prepared. */
export function isOutdated(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && error.code === "0A000" && /cached plan/.test(error.message)
  );
}
