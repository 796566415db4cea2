import type { GatewayConfig } from "../config/gateway-schema.ts";
import { postgresStore } from "../stores/postgres.ts";
import type { ServerStore } from "../stores/server-store.ts";
import { sqliteStore } from "../stores/sqlite.ts";

/** The store that the config names: a file, a PostgreSQL, or memory. */
export function openStore({ db, store }: Pick<GatewayConfig, "db" | "store">): ServerStore {
  if (!store || db === "memory" || db === ":memory:") return sqliteStore({ path: ":memory:" });
  return /^postgres(?:ql)?:/.test(db) ? postgresStore({ url: db }) : sqliteStore({ path: db });
}
