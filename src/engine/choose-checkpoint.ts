import { findCheckpoint, type GenuineCheckpoints } from "../core/checkpoint.ts";
import type { Remembered } from "../core/state/remembered.ts";
import type { Checkpoint, Undo } from "../core/types.ts";

/** A checkpoint made for a smaller budget is left when the whole transcript is below this share of the present one. */
export const LEAVE_BELOW = 0.65;
/** A budget is larger if a larger model was chosen. One that moved a little, because tools or answers changed, is not. */
export const LARGER_BUDGET = 1.25;

/** What a checkpoint is chosen by. */
export interface CheckpointChoice {
  readonly state: Pick<Remembered, "checkpoints" | "undos" | "last" | "branches">;
  readonly chain: readonly string[];
  readonly dialect: string;
  readonly strategy: string;
  readonly textHash: (text: string) => string;
  readonly genuine: GenuineCheckpoints;
  /** Tokens that the present view may have. */
  readonly budget: number;
  /** Tokens of the whole transcript. */
  readonly total: number;
  /** Pressure from which on a compaction is due. */
  readonly startsAt: number;
  /** Time of records that are made now. */
  readonly recordAt: number;
}

/** The checkpoint that the current view stands on, and what was left on the way to it. */
export interface ChosenCheckpoint {
  readonly checkpoint: Checkpoint | undefined;
  /** Records of checkpoints that are left for a larger budget just now: they are kept, or the view would flip back. */
  readonly left: readonly Undo[];
}

/**
 * The newest checkpoint that this transcript begins with and that nobody undid. One that was made for a smaller budget is
 * left for good, until a compaction is due anyway: a view that was shown whole doesn't shrink because the transcript grew.
 */
export function chooseCheckpoint(choice: CheckpointChoice): ChosenCheckpoint {
  const { state, budget, total, startsAt } = choice;
  const roomy = total < startsAt * budget;
  const wasLeft = new Set(state.undos.flatMap(({ why, checkpoint }) => (why ? [checkpoint] : [])));
  const skipped: Undo[] = state.undos.filter(({ why }) => !why);
  const left: Undo[] = [];
  const shown = [...state.branches, ...(state.last ? [state.last] : [])];
  for (;;) {
    const checkpoint = findCheckpoint({
      ...choice,
      checkpoints: state.checkpoints,
      undos: skipped,
      shown,
    });
    if (!checkpoint) return { checkpoint, left };
    const { why, ...skip } = leave(checkpoint, choice);
    if (wasLeft.has(checkpoint.id) && roomy) skipped.push(skip);
    else if (checkpoint.budget * LARGER_BUDGET > budget) return { checkpoint, left };
    else if (total < LEAVE_BELOW * budget) {
      skipped.push(skip);
      left.push({ ...skip, why });
    } else return { checkpoint, left };
  }
}

/** The record of a checkpoint that is left for a larger budget. */
export function leave({ id }: Checkpoint, { budget, total, recordAt }: CheckpointChoice) {
  return {
    checkpoint: id,
    at: recordAt,
    pressure: total / budget,
    why: "larger-budget",
  } as const satisfies Undo;
}

/** Undos by a person, of checkpoints that this transcript begins with. */
export function undosOf(choice: CheckpointChoice): readonly Undo[] {
  const { state } = choice;
  return state.undos.filter(
    (undo) =>
      !undo.why &&
      findCheckpoint({
        ...choice,
        checkpoints: state.checkpoints.filter(({ id }) => id === undo.checkpoint),
        undos: [],
      }),
  );
}
