import type { ChatSettings } from "../api.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import type { Wire } from "../wires/wire.ts";
import { choiceOf } from "./loaded.ts";

/** Refuses settings that no conversation can have, however short it is: the engine itself says what is wrong with them, and the fix. */
export async function checkSettings(
  parts: Pick<CompactionParts, "compactors" | "upstreams">,
  chat: {
    readonly tenant: string;
    readonly wire: Wire;
    readonly model: string;
    readonly settings: ChatSettings;
  },
): Promise<void> {
  const compactor = parts.compactors.of({ ...choiceOf(parts, chat), summarizer: "extractive" });
  await compactor.pressure([]);
}

/** Taking settings away is never refused: it is the way out of wrong ones. */
export const setsSomething = (changes: object | undefined): boolean =>
  Object.values(changes ?? {}).some((value) => value !== null && value !== undefined);
