/** Checkpoints that a state carries at most. */
export const MAX_CHECKPOINTS = 8;
/** Other branches of a chat whose newest view a state remembers. */
export const MAX_BRANCHES = 4;
/** Models of which a state says what their answers took. */
export const MAX_ANSWER_MODELS = 4;
/** User messages of whose recalled passages a state tells: those since the last compaction that it is for. */
export const MAX_RECALLED = 200;
