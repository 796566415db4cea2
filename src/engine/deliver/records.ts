import { makeCheckpoint } from "../../core/checkpoint.ts";
import { systemMessage } from "../../core/render.ts";
import { asBranch } from "../../core/state/read-state.ts";
import { mergeRecords, type Remembered } from "../../core/state/remembered.ts";
import { writeState } from "../../core/state/write-state.ts";
import type {
  BranchView,
  Checkpoint,
  LastView,
  PrefixReason,
  Reason,
  Recalled,
  State,
  Summary,
  Undo,
  Warning,
} from "../../core/types.ts";
import { narrativeOf } from "../decide/narrative.ts";
import { isAboutRounds } from "../decide/round-runs.ts";
import type { Climb } from "../ladder/ladder.ts";
import { hasSystem, hiddenEnd } from "../read/conversation.ts";
import { limitToRemember } from "../read/limits.ts";
import { headJson } from "../read/lost-head.ts";
import type { Operation } from "../read/survey.ts";
import { type Quoted, quotedBy } from "../recall/quotations.ts";
import { type RecallNow, recallFor } from "../recall/recall-for.ts";

/** Saves what this operation made, and what is recalled for the newest user message where its view can quote it. */
export async function keepRecords<M>(
  operation: Operation<M>,
  given: {
    readonly made: Checkpoint | undefined;
    /** The checkpoint whose view would quote it; undefined if nothing is to be recalled. */
    readonly quotedIn: Checkpoint | undefined;
    readonly result: Climb;
  },
): Promise<{
  readonly recalled: (RecallNow & { readonly record: Recalled }) | undefined;
  readonly saved: readonly Warning[];
}> {
  const { engine, survey } = operation;
  const { made, quotedIn } = given;
  const found =
    quotedIn && survey.keepsRecalled
      ? await recallFor(operation, viewOf(operation, given.result))
      : undefined;
  const record = found && quotedIn && recordOf(operation, quotedIn, found);
  if (!made && !record && survey.left.length === 0) return { recalled: undefined, saved: [] };
  const saved = await engine.records.save({
    ...(made && { checkpoints: [made] }),
    undos: survey.left,
    ...(record && { recalled: [record] }),
  });
  // What can't be kept isn't recalled: the next view would be another one.
  return { recalled: found && record && saved.length === 0 ? { ...found, record } : undefined, saved };
}

/** The view before anything more is recalled for it. */
export function viewOf<M>({ survey }: Operation<M>, result: Climb): Parameters<typeof recallFor<M>>[1] {
  return {
    draft: result.draft ?? survey.current,
    // A ladder that gained nothing has counted the view without what it quotes.
    tokens: result.draft ? result.tokens : survey.tokens,
    quoted: result.draft ? [] : survey.quoted,
    isNew: result.draft !== undefined,
  };
}

function recordOf<M>({ survey }: Operation<M>, checkpoint: Checkpoint, { quoted }: RecallNow): Recalled {
  const { chain } = survey.conversation;
  const length = chain.length - 1;
  return {
    hash: chain[length]!,
    length,
    checkpoint: checkpoint.id,
    passages: quoted.places,
    at: survey.recordAt,
  };
}

/** The record of a compaction that is applied. */
export function checkpointOf<M>(
  operation: Operation<M>,
  reason: Reason,
  result: Climb,
): Checkpoint | undefined {
  const { engine, survey } = operation;
  const { conversation, tokens } = survey;
  const told = narrativeOf(
    survey.state.summaries,
    conversation.chain,
    hiddenEnd(conversation, result.draft!.fates),
    operation.range?.place === "inside" ? operation.range.run.from - conversation.structure.start : 0,
  );
  const limit = reason === "rejected" ? limitToRemember(operation) : undefined;
  return makeCheckpoint({
    draft: result.draft!,
    messages: conversation.messages,
    start: conversation.structure.start,
    chain: conversation.chain,
    head: headJson(operation),
    toldOf: told.records.length > 0 ? told.sealed : 0,
    facts: {
      dialect: engine.dialect.id,
      strategy: engine.settings.strategy,
      budget: survey.ownBudget,
      at: survey.recordAt,
      reason,
      ...(limit !== undefined && { limit }),
      rung: result.rung,
      tokens: { before: tokens, after: result.tokens },
      sealed: operation.range?.place === "inside" ? (survey.checkpoint?.sealed ?? 0) : told.sealed,
      seen: {
        messages: conversation.messages.length,
        turns: conversation.structure.turns.length,
        hash: conversation.chain.at(-1)!,
        length: conversation.chain.length - 1,
      },
    },
  });
}

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
    head: headHash(operation),
    ...(broughtBack !== undefined && { broughtBack }),
    ...(checkpoint !== undefined &&
      checkpoint === operation.survey.checkpoint?.id &&
      operation.survey.reworded && { reworded: "unproven" }),
    ...(quoted.length > 0 && { recalled: quotedHash(operation, quoted) }),
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
  const now = lastView(operation, checkpoint, quotedUpTo(operation, last.length));
  if (conversation.chain[last.length] !== last.hash) return "transcript";
  if (last.checkpoint !== checkpoint) return checkpointReason(operation, last.checkpoint);
  if (last.reworded !== now.reworded) return "unproven";
  if (last.broughtBack !== now.broughtBack) return "pin";
  if (last.recalled !== now.recalled) return "recall";
  return last.head !== undefined && last.head !== now.head ? "system" : undefined;
}

/** The same for a view of everything, which was asked for with a budget that it fits. */
export function wholeReason(last: LastView | undefined): PrefixReason | undefined {
  return last?.checkpoint === undefined ? undefined : "larger-budget";
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

/** What the last view quoted and this one, which quotes `now`, doesn't; oldest first. */
export function endedQuotations<M>(operation: Operation<M>, now: readonly Quoted[]): readonly Quoted[] {
  const stands = new Set(now.map(({ record }) => record.hash + record.checkpoint));
  return lastQuoted(operation).filter(({ record }) => !stands.has(record.hash + record.checkpoint));
}

/** What the last view quoted, as far as it is on record. Where no last view is known, what is on record for the view that stands. */
function lastQuoted<M>(operation: Operation<M>): readonly Quoted[] {
  const { engine, survey } = operation;
  const { last, recalled } = survey.state;
  if (!last) return survey.quoted;
  if (last.checkpoint === undefined || last.recalled === undefined) return [];
  const { rules } = engine.dialect;
  const onRecord =
    last.checkpoint === survey.checkpoint?.id
      ? survey.quoted
      : quotedBy(last.checkpoint, recalled, survey.conversation, rules, engine.recalledTexts);
  const then = onRecord.filter(({ record }) => record.length <= last.length);
  // The oldest may have left before, where the view had no room for them.
  const first = then.findIndex((_, at) => quotedHash(operation, then.slice(at)) === last.recalled);
  return then.slice(Math.max(0, first));
}

/** What is quoted for messages that the last view showed. */
function quotedUpTo<M>({ survey }: Operation<M>, length: number): readonly Quoted[] {
  return survey.quoted.filter(({ record }) => record.length <= length);
}

function quotedHash<M>({ engine }: Operation<M>, quoted: readonly Pick<Quoted, "text">[]): string {
  return engine.textHash(quoted.map(({ text }) => text).join("\n"));
}

/** Names the messages that are shown although the checkpoint hides them. */
function broughtBackHash<M>({ engine, survey }: Operation<M>): string | undefined {
  const { broughtBack, conversation } = survey;
  if (broughtBack.length === 0) return undefined;
  return engine.textHash(broughtBack.map((index) => index - conversation.structure.start).join(" "));
}

/** Names the system prompt by what the model reads of it. */
function headHash<M>({ engine, input, survey }: Operation<M>): string {
  const { messages, structure } = survey.conversation;
  const systemApart = hasSystem(input.system) ? [systemMessage<M>(input.system)] : [];
  const read = [...systemApart, ...survey.restored].map((message) => engine.dialect.read(message));
  return engine.textHash(
    JSON.stringify([...read, ...messages.slice(0, structure.start)].map((message) => message.parts)),
  );
}
