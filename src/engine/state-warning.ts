import type { StateReading } from "../core/state/read-state.ts";
import type { Remembered } from "../core/state/remembered.ts";
import type { Warning } from "../core/types.ts";

/** Why a state that the host handed back is of no use, in whole or in part. It is ignored, never believed. */
export function stateWarning(
  given: unknown,
  { usable, damaged, remembered }: StateReading,
  chain: readonly string[],
): Warning | undefined {
  // Null stands for "left out" as well: a host reads it from its database.
  if (given === undefined || given === null) return undefined;
  if (usable === "unknown")
    return {
      code: "state-unusable",
      message: "State ignored: precis didn't write it, or its version isn't supported.",
    };
  if (usable === "unsigned")
    return {
      code: "state-unsigned",
      message:
        "The given state isn't signed with one of the keys in `stateKey`, or was changed since, and is ignored.",
    };
  if (damaged > 0)
    return {
      code: "state-damaged",
      message: `${damaged} of the records in the given state were damaged or changed, and are ignored. Store a state as it is.`,
    };
  return fits(remembered, chain)
    ? undefined
    : {
        code: "state-foreign",
        message:
          "Nothing in the given state belongs to this transcript: it is another conversation's, or the beginning was edited. It is ignored.",
      };
}

/** An empty state fits every transcript. */
function fits({ checkpoints, elsewhere, summaries, last }: Remembered, chain: readonly string[]): boolean {
  const isEmpty =
    checkpoints.length === 0 && elsewhere.length === 0 && summaries.length === 0 && last === undefined;
  return (
    isEmpty ||
    checkpoints.length > 0 ||
    summaries.some((one) => chain[one.covers.to] === one.hash) ||
    (last !== undefined && chain[last.length] === last.hash)
  );
}
