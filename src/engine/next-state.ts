import { asBranch } from "../core/state/read-state.ts";
import { mergeRecords, type Remembered } from "../core/state/remembered.ts";
import { writeState } from "../core/state/write-state.ts";
import type { BranchView, Checkpoint, Recalled, State, Summary, Undo } from "../core/types.ts";
import { headJson } from "./lost-head.ts";
import { narrativeOf } from "./narrative.ts";
import type { Operation } from "./operation.ts";
import { lastView } from "./prefix-change.ts";
import { isAboutRounds } from "./round-runs.ts";

/** What an operation added to what was known. */
export interface Added {
  readonly made?: Checkpoint | undefined;
  /** Id of the checkpoint that the view stands on. */
  readonly checkpoint: string | undefined;
  readonly undos?: readonly Undo[];
  readonly recalled?: readonly Recalled[];
  /** What the view quotes for user messages. */
  readonly quoted?: readonly { readonly text: string }[];
  /** The operation made no view, or one that isn't the conversation's own. */
  readonly beside?: boolean;
}

/**
 * Gets the state ready to be handed out, with what this operation added. Putting it together takes time that hosts with a store
 * needn't spend: that is done when somebody asks for it, and what the host could change until then is read before.
 */
export function prepareState<M>(
  operation: Operation<M>,
  added: Added,
): (summaries?: readonly Summary[]) => State {
  const { engine, survey } = operation;
  const { conversation, state } = survey;
  const { chain, messages } = conversation;
  const { made, checkpoint, undos = [], recalled = [], quoted = [] } = added;
  // Nobody would believe it in a state that isn't signed.
  const head = engine.stateKeys.length > 0 ? (headJson(operation) ?? state.head) : undefined;
  const last = added.beside ? state.last : lastView(operation, checkpoint, quoted);
  const branches = added.beside ? state.branches : otherBranches(state, chain);
  return (summaries = []) => {
    const {
      head: _head,
      last: _last,
      ...known
    } = mergeRecords(state, { checkpoints: made ? [made] : [], summaries, undos, recalled });
    return writeState(
      { ...known, branches, ...(head !== undefined && { head }), ...(last && { last }) },
      {
        context: { messages, chain },
        inUse: summariesInUse(known.summaries, chain),
        key: engine.stateKeys[0],
      },
    );
  };
}

/** The views that the transcript of this one doesn't extend: those of other branches of the chat. */
function otherBranches({ last, branches }: Remembered, chain: readonly string[]): readonly BranchView[] {
  return [...branches, ...(last ? [asBranch(last)] : [])].filter(
    ({ hash, length }) => chain[length] !== hash,
  );
}

/** Keys of the records that speak for this transcript: the next compaction goes on from them. */
function summariesInUse(summaries: readonly Summary[], chain: readonly string[]): ReadonlySet<string> {
  const rounds = summaries.filter((one) => isAboutRounds(one) && chain[one.covers.to] === one.hash);
  return new Set(
    [...narrativeOf(summaries, chain, chain.length - 1).records, ...rounds].map(({ key }) => key),
  );
}
