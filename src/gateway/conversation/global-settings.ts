import { isJson } from "../../apis/shared/fields.ts";
import { landingProblem, type StartAndLanding } from "../../core/budget.ts";
import type { GlobalSettings } from "../api.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { RequestFault } from "../http/request-fault.ts";

export async function readGlobalSettings(
  { store }: Pick<CompactionParts, "store">,
  tenant: string,
): Promise<GlobalSettings> {
  return settingsOf(await store.settings.read(tenant));
}

/** Changes the settings of all chats by what they are at that moment. */
export async function changeGlobalSettings(
  { store }: Pick<CompactionParts, "store">,
  tenant: string,
  change: (settings: GlobalSettings) => GlobalSettings,
): Promise<GlobalSettings> {
  return settingsOf(await store.settings.change(tenant, (stored) => change(settingsOf(stored))));
}

const settingsOf = (stored: unknown): GlobalSettings => (isJson(stored) ? (stored as GlobalSettings) : {});

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
