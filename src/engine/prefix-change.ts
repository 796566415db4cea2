import { systemMessage } from "../core/render.ts";
import type { LastView, PrefixReason } from "../core/types.ts";
import { hasSystem } from "./conversation.ts";
import type { Call } from "./decide.ts";
import type { Quoted } from "./recall/standing-recalled.ts";

/**
 * What the view of this call stands on, so that the next call can tell whether its own extends it. `quoted` is what it
 * quotes for user messages.
 */
export function lastView<M>(
  call: Call<M>,
  checkpoint: string | undefined,
  quoted: readonly Pick<Quoted, "text">[],
): LastView {
  const { chain } = call.seen.conversation;
  const length = chain.length - 1;
  const broughtBack = checkpoint === call.seen.checkpoint?.id ? broughtBackHash(call) : undefined;
  return {
    hash: chain[length]!,
    length,
    ...(checkpoint !== undefined && { checkpoint }),
    head: headHash(call),
    ...(broughtBack !== undefined && { broughtBack }),
    ...(checkpoint !== undefined &&
      checkpoint === call.seen.checkpoint?.id &&
      call.seen.reworded && { reworded: "unproven" }),
    ...(quoted.length > 0 && { recalled: quotedHash(call, quoted) }),
  };
}

/** Why the view no longer extends the one that the state remembers. Undefined if it does. */
export function prefixReason<M>(
  call: Call<M>,
  checkpoint: string | undefined,
  compacted: boolean,
): PrefixReason | undefined {
  const { state, conversation } = call.seen;
  const { last } = state;
  if (compacted) return "compaction";
  if (!last) return undefined;
  const now = lastView(call, checkpoint, quotedUpTo(call, last.length));
  if (conversation.chain[last.length] !== last.hash) return "transcript";
  if (last.checkpoint !== checkpoint) return checkpointReason(call, last.checkpoint);
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
function checkpointReason<M>({ engine, seen }: Call<M>, before: string | undefined): PrefixReason {
  if (before === undefined) return "compaction";
  const undo = seen.state.undos.find(({ checkpoint }) => checkpoint === before);
  if (undo) return undo.why ?? "undo";
  const record = seen.state.checkpoints.find(({ id }) => id === before);
  if (!record) return "cleared";
  if (record.strategy !== engine.settings.strategy || record.dialect !== engine.dialect.id) return "options";
  // Another process has compacted since; or what must be shown by now doesn't go with that compaction.
  return seen.checkpoint && seen.checkpoint.at > record.at ? "compaction" : "pin";
}

/** What is quoted for messages that the last view showed. */
function quotedUpTo<M>({ seen }: Call<M>, length: number): readonly Quoted[] {
  return seen.quoted.filter(({ record }) => record.length <= length);
}

function quotedHash<M>({ engine }: Call<M>, quoted: readonly Pick<Quoted, "text">[]): string {
  return engine.textHash(quoted.map(({ text }) => text).join("\n"));
}

/** Names the messages that are shown although the checkpoint hides them. */
function broughtBackHash<M>({ engine, seen }: Call<M>): string | undefined {
  const { broughtBack, conversation } = seen;
  if (broughtBack.length === 0) return undefined;
  return engine.textHash(broughtBack.map((index) => index - conversation.structure.start).join(" "));
}

/** Names the system prompt by what the model reads of it. */
function headHash<M>({ engine, input, seen }: Call<M>): string {
  const { messages, structure } = seen.conversation;
  const apart = hasSystem(input.system) ? [systemMessage<M>(input.system)] : [];
  const read = [...apart, ...seen.restored].map((message) => engine.dialect.read(message));
  return engine.textHash(
    JSON.stringify([...read, ...messages.slice(0, structure.start)].map((message) => message.parts)),
  );
}
