import { appendSystem, systemMessage } from "../../core/render.ts";
import type { Entry, Measure } from "../../core/types.ts";
import { hasSystem, insertTokens } from "../../engine/read/conversation.ts";
import type { Loaded } from "./loaded.ts";

/** Tokens of a system prompt that stands apart from the messages. */
export function systemTokens(
  { dialect, system }: Pick<Loaded, "dialect" | "system">,
  measure: Measure,
): number {
  return hasSystem(system) ? measure.message(dialect.read(systemMessage(system))) : 0;
}

/** What an entry adds to the view. All of them and the system prompt are what the engine says of the whole. */
export function entryTokens(
  entry: Entry,
  loaded: Pick<Loaded, "dialect" | "messages" | "transcript" | "system">,
  measure: Measure,
): number {
  const { dialect, messages, transcript, system } = loaded;
  switch (entry.type) {
    case "drop":
      return 0;
    case "keep":
      return measure.message(messages[entry.index]!);
    case "edit":
      return measure.message(dialect.read(dialect.edit(transcript[entry.index]!, entry.edits)));
    default: {
      const { message, merged } = entry;
      if (merged) return 0;
      if (message.role !== "system" || dialect.rules.system !== "apart")
        return insertTokens(measure, message);
      const joined = { dialect, system: appendSystem(dialect, system, message.text) };
      return systemTokens(joined, measure) - systemTokens(loaded, measure);
    }
  }
}
