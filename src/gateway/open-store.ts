import type { GatewayConfig } from "../config/gateway-schema.ts";
import { openStore as openNamed, type ServerStore } from "../stores/index.ts";

/** The store that the config names: a file, a PostgreSQL, or memory. */
export function openStore({ db, store }: Pick<GatewayConfig, "db" | "store">): ServerStore {
  return openNamed(store ? db : "memory");
}
