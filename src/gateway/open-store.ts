import type { GatewayConfig } from "../config/gateway-schema.ts";
import { openStore as openNamed, type ServerStore } from "../stores/server.ts";
import type { Log } from "./telemetry/log.ts";

/** The data of an older version is brought up to date in many small steps; the log has one line in so long (milliseconds). */
const PROGRESS_EVERY_MS = 2_000;

/** The store that the config names: a file, a PostgreSQL, or memory. */
export function openStore(
  { db, store }: Pick<GatewayConfig, "db" | "store">,
  { log, now }: { readonly log: Pick<Log, "info">; now(): number },
): ServerStore {
  let saidAt = now();
  return openNamed(store ? db : "memory", {
    onMigration({ step, done, total }) {
      if (done < total && now() - saidAt < PROGRESS_EVERY_MS) return;
      saidAt = now();
      if (total > 0) log.info({ step, done, total }, "the stored data is brought up to date");
    },
  });
}
