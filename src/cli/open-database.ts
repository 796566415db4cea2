import { statSync } from "node:fs";
import type { GatewayConfig } from "../config/gateway-schema.ts";
import { defined } from "../core/defined.ts";
import { databaseKind } from "../stores/database-kind.ts";
import type { ServerStore } from "../stores/server-store.ts";
import { type Io, untilAborted, warnOn } from "./io.ts";
import type { Flag, ParsedFlags } from "./parse-flags.ts";
import { FileError } from "./read-lines.ts";

/** Flags of commands that are a gateway themselves, or start one. */
export const SERVER_FLAGS = {
  upstream: { value: "URL", help: "where requests go, such as http://localhost:11434/v1" },
  window: {
    value: "N",
    help: "window of the upstream's models in tokens (32k), instead of the registry's",
  },
  db: { value: "DB", help: "where to store: a file (default: precis.db), postgres://…, or memory" },
  config: { value: "FILE", help: "config file of precis serve (default: precis.config.json)" },
} as const satisfies Record<string, Flag>;

/** Flags of commands that look into a store. */
export const DATABASE_FLAGS = {
  db: { value: "DB", help: "the database: a file or postgres://… (default: what precis serve uses)" },
  config: SERVER_FLAGS.config,
  tenant: { value: "T", help: "the tenant (default: 'default')" },
} as const satisfies Record<string, Flag>;

/** Whose conversations these are where nobody says. */
export const DEFAULT_TENANT = "default";

/** Opens the database that flags, environment or config name, and closes it afterwards. */
export async function withDatabase<T>(
  flags: ParsedFlags,
  io: Io,
  {
    create,
    missing,
  }: {
    readonly create: boolean;
    /** What is said where there is no database of that name. */
    readonly missing?: (name: string) => string;
  },
  work: (store: ServerStore, name: string, config: GatewayConfig) => Promise<T>,
): Promise<T> {
  // Only these commands need them, and they take a while to load.
  const [{ loadConfig }, { openStore }] = await Promise.all([
    import("../config/load-config.ts"),
    import("../stores/open-store.ts"),
  ]);
  const config = await loadConfig({
    ...defined({ file: flags.value("config") }),
    env: io.env,
    flags: defined({ db: flags.value("db") }),
    warn: warnOn(io),
  });
  const name = withoutPassword(config.db);
  if (!create) needDatabase(config.db, missing);
  const store = openStore(config.db);
  const ready = store.ready().then(() => true);
  // A store that doesn't answer isn't closed: that would wait for it, too.
  if (!(await untilAborted(ready, io.signal).catch(() => true))) throw io.signal.reason;
  try {
    await ready;
    return await work(store, name, config);
  } finally {
    await store.close();
  }
}

/** Refuses a file that is no database yet: to open it would make one. */
export function needDatabase(db: string, missing?: (name: string) => string): void {
  if (databaseKind(db) === "postgres" || isThere(db)) return;
  const name = withoutPassword(db);
  throw new FileError(
    `${missing?.(name) ?? `there is no database ${name}.`} Name one with --db FILE or --db postgres://….`,
  );
}

/** An empty file is there, but no database is in it. */
function isThere(file: string): boolean {
  try {
    return statSync(file).size > 0;
  } catch {
    return false;
  }
}

/**
 * A screen is no place for a password; whoever gave it knows it. PostgreSQL takes addresses that no URL may have
 * (`postgres://user:password@/database?host=/tmp`), and a password in the query.
 */
export function withoutPassword(text: string): string {
  const scheme = /^\w+:\/\//.exec(text)?.[0];
  if (scheme === undefined) return text;
  if (!URL.canParse(text)) return `${scheme}…`;
  const url = new URL(text);
  if (url.password === "" && !url.searchParams.has("password")) return text;
  url.password = "";
  url.searchParams.delete("password");
  return url.href;
}
