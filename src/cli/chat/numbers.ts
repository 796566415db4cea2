import type { ApiMessages, DialectId } from "../../gateway/api.ts";

/** Dialects whose system prompt stands among the messages, where summaries count it. */
const COUNTS_SYSTEM: readonly DialectId[] = ["openai-chat", "ai-sdk"];

/** How many messages the numbers in summaries count that indexes don't: message 0 is `#lead + 1`. */
export const leadOf = (
  { lead, system }: Pick<ApiMessages, "lead" | "system">,
  dialect: DialectId | undefined,
): number => lead ?? (system !== "" && dialect !== undefined && COUNTS_SYSTEM.includes(dialect) ? 1 : 0);
