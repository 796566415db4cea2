import { landingProblem, type StartAndLanding } from "../../core/budget.ts";
import type { GlobalSettings } from "../api.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { isJson } from "../http/json.ts";
import { RequestFault } from "../http/request-fault.ts";
import { SETTINGS_SESSION } from "./session-of.ts";

export async function readGlobalSettings(
  { store }: Pick<CompactionParts, "store">,
  tenant: string,
): Promise<GlobalSettings> {
  const found = await store.conversations.findSession(tenant, SETTINGS_SESSION);
  return found && isJson(found.meta) ? (found.meta as GlobalSettings) : {};
}

/** Changes the settings of all chats, as they stand in the store right now. */
export async function writeGlobalSettings(
  { store, now }: Pick<CompactionParts, "store" | "now">,
  tenant: string,
  change: (settings: GlobalSettings) => GlobalSettings,
): Promise<void> {
  const { conversations } = store;
  const found = await conversations.findSession(tenant, SETTINGS_SESSION);
  const id =
    found?.id ??
    (await conversations.append(tenant, { session: SETTINGS_SESSION, messages: [], at: now() })).conversation;
  await conversations.update(tenant, id, ({ meta }) => ({
    meta: change(isJson(meta) ? (meta as GlobalSettings) : {}),
    archived: true,
  }));
}

/** Settings with changes: `null` takes a value away. A start and a landing that can't work together are refused. */
export function changed<S extends StartAndLanding>(settings: S, changes: object): S {
  const result: Record<string, unknown> = { ...(settings as object) };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete result[name];
    else if (value !== undefined) result[name] = value;
  }
  const wrong = landingProblem(result as S);
  if (wrong)
    throw new RequestFault(400, "invalid", `landAt: ${result["landAt"]} ${wrong.problem}.`, {
      field: "landAt",
      fix: wrong.fix,
    });
  return result as S;
}
