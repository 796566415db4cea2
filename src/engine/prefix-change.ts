import { systemMessage } from "../core/render.ts";
import type { LastView, PrefixReason } from "../core/types.ts";
import { hasSystem } from "./conversation.ts";
import type { Operation } from "./operation.ts";
import { type Quoted, quotedBy } from "./recall/quotations.ts";

/**
 * What the view of this operation stands on, so that the next operation can tell whether its own extends it. `quoted` is what it
 * quotes for user messages.
 */
export function lastView<M>(
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
