/** Checkpoints that a state carries at most. */
export const MAX_CHECKPOINTS = 8;
