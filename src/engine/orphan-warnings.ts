import { type Draft, isShown } from "../core/draft.ts";
import type { Warning, WarningCode } from "../core/types.ts";
import type { Conversation } from "./conversation.ts";

/** Messages that a warning names. */
const NAMED = 5;

/**
 * Calls and results without their counterpart that the transcript itself has and the view shows: what isn't changed
 * isn't repaired, and most providers refuse such a request.
 */
export function orphanWarnings({ structure, messages }: Conversation, { fates }: Draft): Warning[] {
  const shown = structure.faults.filter(({ index }) => isShown(fates[index]!));
  const results = shown.filter(({ kind }) => kind === "orphan-result");
  // A call that the provider runs itself may have its result in places that nobody else sees.
  const calls = shown.filter(
    ({ kind, index }) =>
      kind === "orphan-call" &&
      messages[index]!.parts.some((part) => part.type === "tool-call" && part.locked !== true),
  );
  return [
    ...warning("orphan-result", "tool result", "call", results),
    ...warning("orphan-call", "tool call", "result", calls),
  ];
}

function warning(
  code: WarningCode,
  what: string,
  counterpart: string,
  found: readonly { readonly index: number }[],
): Warning[] {
  // People count from 1.
  const numbers = [...new Set(found.map(({ index }) => index + 1))];
  if (numbers.length === 0) return [];
  const named = numbers.slice(0, NAMED).join(", ");
  const more = numbers.length > NAMED ? ` and ${numbers.length - NAMED} more` : "";
  return [
    {
      code,
      message: `A ${what} without its ${counterpart} is sent as it came (message ${named}${more}): the transcript has it so, and the provider may refuse it.`,
    },
  ];
}
