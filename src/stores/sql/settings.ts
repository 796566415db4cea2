import type { SettingsStore } from "../server-store.ts";
import { checkName } from "../shared/check-name.ts";
import { putRow } from "./put-row.ts";
import { firstRow, rows, type Script } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";

export function sqlSettings({ engine, read, write }: SqlContext): SettingsStore {
  return {
    read: (tenant) => read("settings.read", () => readSettings(tenant)),
    change: (tenant, change) =>
      write("settings.change", function* () {
        checkName("settings.change", "tenant", tenant);
        // There may be no row to lock yet.
        if (engine.lockName !== undefined) yield* rows(engine.lockName, `precis/settings/${tenant}`);
        const changed = change(yield* readSettings(tenant));
        yield* putRow(
          "precis_settings",
          { tenant, json: JSON.stringify(changed ?? null) },
          { key: ["tenant"] },
        );
        return changed;
      }),
  };
}

export function* readSettings(tenant: string): Script<unknown> {
  const row = yield* firstRow<{ readonly json: string }>(
    "select json from precis_settings where tenant = ?",
    tenant,
  );
  return row && (JSON.parse(row.json) as unknown);
}
