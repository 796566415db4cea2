import type { GlobalSettings } from "../api.ts";
import type { Gateway } from "../gateway.ts";
import { SETTINGS_SESSION } from "./reserved-session.ts";
import { isJson } from "../http/json.ts";

export async function readGlobalSettings(gateway: Gateway, tenant: string): Promise<GlobalSettings> {
  const found = await gateway.store.conversations.findSession(tenant, SETTINGS_SESSION);
  return found && isJson(found.meta) ? (found.meta as GlobalSettings) : {};
}

export async function writeGlobalSettings(
  gateway: Gateway,
  tenant: string,
  settings: GlobalSettings,
): Promise<void> {
  const { conversations } = gateway.store;
  const found = await conversations.findSession(tenant, SETTINGS_SESSION);
  const id =
    found?.id ??
    (await conversations.append(tenant, { session: SETTINGS_SESSION, messages: [], at: gateway.now() }))
      .conversation;
  await conversations.update(tenant, id, { meta: settings, archived: true });
}

/** Settings with changes: `null` takes a value away. */
export function changed<S extends object>(settings: S, changes: object): S {
  const result: Record<string, unknown> = { ...(settings as object) };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete result[name];
    else if (value !== undefined) result[name] = value;
  }
  return result as S;
}
