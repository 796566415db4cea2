import type { AnswerSizes, BranchView, Checkpoint, LastView, Recalled, Records } from "../types.ts";

/** What is remembered of a conversation, ready for use. */
export interface Remembered extends Records {
  /** Checkpoints that this transcript doesn't begin with (another branch of the chat): they are carried along as they came. */
  readonly elsewhere: readonly Checkpoint[];
  /** Ids of checkpoints that came with a state which nobody signed. */
  readonly unproven: ReadonlySet<string>;
  /** The system prompt as JSON, where a proof says that it is the conversation's. */
  readonly head?: string;
  /** Earlier views had a system prompt. */
  readonly hadHead: boolean;
  readonly last?: LastView;
  /** What the newest views of other branches of the chat stood on. */
  readonly branches: readonly BranchView[];
  /** What answers of this conversation took, by model. */
  readonly answers: readonly AnswerSizes[];
  /** What views quote for user messages. */
  readonly recalled: readonly Recalled[];
}

export const NOTHING_REMEMBERED: Remembered = {
  checkpoints: [],
  summaries: [],
  undos: [],
  elsewhere: [],
  unproven: new Set(),
  hadHead: false,
  branches: [],
  answers: [],
  recalled: [],
};

/** The records of both, each once. Those of the store, or made just now, are proven, and stand for the same ones of a state. */
export function mergeRecords(remembered: Remembered, more: Partial<Records>): Remembered {
  const checkpoints = new Map(
    [...remembered.checkpoints, ...(more.checkpoints ?? [])].map((one) => [one.id, one]),
  );
  const undos = new Map([...remembered.undos, ...(more.undos ?? [])].map((one) => [one.checkpoint, one]));
  const summaries = new Map(
    [...remembered.summaries, ...(more.summaries ?? [])].map((one) => [one.key, one]),
  );
  const recalled = new Map(
    [...remembered.recalled, ...(more.recalled ?? [])].map((one) => [`${one.checkpoint} ${one.hash}`, one]),
  );
  const proven = new Set(more.checkpoints?.map(({ id }) => id));
  return {
    ...remembered,
    unproven: remembered.unproven.difference(proven),
    checkpoints: [...checkpoints.values()],
    summaries: [...summaries.values()],
    undos: [...undos.values()],
    recalled: [...recalled.values()],
  };
}
