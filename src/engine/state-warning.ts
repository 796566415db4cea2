import { isState } from "../core/state.ts";
import type { State, Warning } from "../core/types.ts";

/** Why a state that the host handed back is of no use, in whole or in part. It is ignored, never believed. */
export function stateWarning(given: unknown, read: State, chain: readonly string[]): Warning | undefined {
  // Null stands for "left out" as well: a host reads it from its database.
  if (given === undefined || given === null) return undefined;
  if (!isState(given))
    return {
      code: "state-unusable",
      message: "The given state isn't one of precis's, or of another version, and is ignored.",
    };
  const lost = countOf(given) - countOf(read);
  if (lost > 0)
    return {
      code: "state-damaged",
      message: `${lost} of the records in the given state were damaged or changed, and are ignored. Store a state as it is.`,
    };
  const { checkpoints, summaries, last } = read;
  const fits =
    checkpoints.some((one) => chain[one.length] === one.hash) ||
    summaries.some((one) => chain[one.covers.to] === one.hash) ||
    (last !== undefined && chain[last.length] === last.hash);
  if (fits || (checkpoints.length === 0 && summaries.length === 0 && last === undefined)) return undefined;
  return {
    code: "state-foreign",
    message:
      "Nothing in the given state belongs to this transcript: it is another conversation's, or the beginning was edited. It is ignored.",
  };
}

function countOf({
  checkpoints,
  summaries,
  undos,
}: Partial<Record<"checkpoints" | "summaries" | "undos", unknown>>): number {
  return [checkpoints, summaries, undos].reduce<number>(
    (sum, list) => sum + (Array.isArray(list) ? list.length : 0),
    0,
  );
}
