import { systemMessage } from "../../core/draft.ts";
import { contentHash } from "../../core/hash.ts";
import { asBranch, mergeRecords, type Remembered } from "../../core/state/read-state.ts";
import { writeState } from "../../core/state/write-state.ts";
import type {
  BranchView,
  Checkpoint,
  LastView,
  Message,
  PrefixReason,
  Recalled,
  State,
  Summary,
  Undo,
} from "../../core/types.ts";
import { isAboutRounds, narrativeOf } from "../plan/narrative.ts";
import { hasSystem } from "../read/conversation.ts";
import type { Quoted } from "../read/quotations.ts";
import { headJson } from "../read/read-conversation.ts";
import type { Operation } from "../read/survey.ts";

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
  const { chain } = conversation;
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
        chain,
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

/**
 * What the view of this operation stands on, so that the next operation can tell whether its own extends it. `quoted` is what it
 * quotes for user messages.
 */
function lastView<M>(
  operation: Operation<M>,
  checkpoint: string | undefined,
  quoted: readonly Pick<Quoted, "text">[],
): LastView {
  const { chain } = operation.survey.conversation;
  const length = chain.length - 1;
  const broughtBack = checkpoint === operation.survey.checkpoint?.id ? broughtBackHash(operation) : undefined;
  return {
    hash: chain[length]!,
    length,
    ...(checkpoint !== undefined && { checkpoint }),
    // By what the model reads of it.
    head: contentHash(JSON.stringify(headMessages(operation).map((message) => message.parts))),
    ...(broughtBack !== undefined && { broughtBack }),
    ...(checkpoint !== undefined &&
      checkpoint === operation.survey.checkpoint?.id &&
      operation.survey.reworded && { reworded: "unproven" }),
    ...(quoted.length > 0 && { recalled: contentHash(quoted.map(({ text }) => text).join("\n")) }),
  };
}

/** Why the view no longer extends the one that the state remembers. Undefined if it does. */
export function prefixReason<M>(
  operation: Operation<M>,
  checkpoint: string | undefined,
  compacted: boolean,
): PrefixReason | undefined {
  const { state, conversation } = operation.survey;
  const { last } = state;
  if (compacted) return "compaction";
  if (!last) return undefined;
  const quotedThen = operation.survey.quoted.filter(({ record }) => record.length <= last.length);
  const now = lastView(operation, checkpoint, quotedThen);
  if (conversation.chain[last.length] !== last.hash) return "transcript";
  if (last.checkpoint !== checkpoint) return checkpointReason(operation, last.checkpoint);
  if (last.reworded !== now.reworded) return "unproven";
  if (last.broughtBack !== now.broughtBack) return "pin";
  if (last.recalled !== now.recalled) return "recall";
  return last.head !== undefined && last.head !== now.head ? "system" : undefined;
}

/** Why the view stands on another checkpoint than `before`, or on none. */
function checkpointReason<M>({ engine, survey }: Operation<M>, before: string | undefined): PrefixReason {
  if (before === undefined) return "compaction";
  const undo = survey.state.undos.find(({ checkpoint }) => checkpoint === before);
  if (undo) return undo.why ?? "undo";
  const record = survey.state.checkpoints.find(({ id }) => id === before);
  if (!record) return "cleared";
  if (record.strategy !== engine.settings.strategy || record.dialect !== engine.dialect.id) return "options";
  // Another process has compacted since; or what must be shown by now doesn't go with that compaction.
  return survey.checkpoint && survey.checkpoint.at > record.at ? "compaction" : "pin";
}

/** Names the messages that are shown although the checkpoint hides them. */
function broughtBackHash<M>({ survey }: Operation<M>): string | undefined {
  const { broughtBack, conversation } = survey;
  if (broughtBack.length === 0) return undefined;
  return contentHash(broughtBack.map((index) => index - conversation.structure.start).join(" "));
}

export function headMessages<M>({ engine, input, survey }: Operation<M>): readonly Message[] {
  const { messages, structure } = survey.conversation;
  const systemApart = hasSystem(input.system) ? [systemMessage<M>(input.system)] : [];
  const read = [...systemApart, ...survey.restored].map((message) => engine.dialect.read(message));
  return [...read, ...messages.slice(0, structure.start)];
}
