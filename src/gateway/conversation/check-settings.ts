import { windowProblem } from "../../core/budget.ts";
import type { ChatSettings } from "../api.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { RequestFault } from "../http/request-fault.ts";
import type { Wire } from "../wires/index.ts";
import { choiceOf } from "./loaded.ts";

/** Refuses settings that no conversation can have, however short it is: the engine itself says what is wrong with them, and the fix. */
export async function checkSettings(
  parts: Pick<CompactionParts, "compactors" | "upstreams" | "windows">,
  chat: {
    readonly tenant: string;
    readonly wire: Wire;
    readonly model: string;
    readonly settings: ChatSettings;
    /** Those of them that were set for it: what others set gives way to a small window. */
    readonly own: ChatSettings;
  },
): Promise<void> {
  const choice = choiceOf(parts, chat);
  const compactor = parts.compactors.of({ ...choice, summarizer: "extractive" });
  await compactor.pressure([]);
  const info = parts.windows.of(choice.upstream, chat.model, chat.tenant);
  // A guess at the window of a model that nobody knows refuses nothing.
  const window = choice.window ?? (info.from === "guess" ? undefined : info.window);
  if (window === undefined) return;
  for (const field of ["startAt", "landAt"] as const) {
    const value = chat.own[field];
    const wrong = windowProblem(value, window);
    if (wrong)
      throw new RequestFault(400, "invalid", `${field}: ${value} ${wrong.problem}.`, {
        field,
        fix: wrong.fix,
      });
  }
}

/** Taking settings away is never refused: it is the way out of wrong ones. */
export const setsSomething = (changes: object | undefined): boolean =>
  Object.values(changes ?? {}).some((value) => value !== null && value !== undefined);
