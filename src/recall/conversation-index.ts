import { editableParts } from "../core/edits.ts";
import type { Pause } from "../core/pause.ts";
import { sameMessage } from "../core/same-message.ts";
import type { Dialect, Message, ToolCallPart } from "../core/types.ts";
import { readCall } from "../summaries/calls/read-call.ts";
import { isRefusal } from "../summaries/calls/refusals.ts";
import { createMemoryIndex, type MemoryIndex } from "./memory-index.ts";

/** A transcript, read and indexed as far as it has grown. */
export interface ConversationIndex<M> {
  readonly index: MemoryIndex;
  readonly messages: readonly Message[];
  /**
   * Reads what is new since the last time. What was changed in place is read again from there on; the first `unchanged`
   * messages aren't looked at, for callers that know.
   */
  update(transcript: readonly M[], pause: Pause, unchanged?: number): Promise<void>;
}

/** Messages that are read between two pauses. */
const MESSAGES_AT_ONCE = 16;

export function createConversationIndex<M>(dialect: Pick<Dialect<M>, "read">): ConversationIndex<M> {
  const index = createMemoryIndex();
  const messages: Message[] = [];
  return {
    index,
    messages,
    async update(transcript, pause, unchanged = 0) {
      let same = unchanged;
      // By content, never by identity: a host may change the very objects that were read before.
      const saysTheSame = (at: number) => sameMessage(messages[at]!, dialect.read(transcript[at]!));
      while (same < messages.length && same < transcript.length && saysTheSame(same))
        if (++same % MESSAGES_AT_ONCE === 0) await pause();
      if (same < messages.length) {
        messages.length = same;
        index.truncate(same);
      }
      for (let at = same; at < transcript.length; at++) {
        if (at % MESSAGES_AT_ONCE === 0) await pause();
        const message = dialect.read(transcript[at]!);
        messages.push(message);
        index.add(message);
      }
    },
  };
}

/** Names of tools that change a file. */
const CHANGES = /edit|write|patch|replace|create|insert|update|apply|append|delete|remove|move|rename|save/i;

/** Tells the newest later message that changed the file which a part of a message is about: what it says may no longer hold. */
export function fileChanges(
  messages: readonly Message[],
): (index: number, part: number) => number | undefined {
  const calls = new Map<string, { readonly call: ToolCallPart; readonly index: number }>();
  const newest = new Map<string, number>();
  for (const [index, { parts }] of messages.entries())
    for (const part of parts) {
      if (part.type === "tool-call") calls.set(part.id, { call: part, index });
      const made = part.type === "tool-result" && !isRefusal(part) ? calls.get(part.id) : undefined;
      if (made === undefined || (readCall(made.call).kind !== "edit" && !CHANGES.test(made.call.name)))
        continue;
      for (const file of filesOf(made.call)) newest.set(file, made.index);
    }
  return (index, place) => {
    const part = editableParts(messages[index]!)[place];
    const call = part?.type === "tool-result" ? callBefore(messages, index, part.id) : part;
    const files = call?.type === "tool-call" ? filesOf(call) : [];
    const changed = files.reduce((last, file) => Math.max(last, newest.get(file) ?? -1), -1);
    return changed > index ? changed : undefined;
  };
}

/** The files that a call changes, or the one that it is about. */
function filesOf(call: ToolCallPart): readonly string[] {
  const { file = "", changes } = readCall(call);
  const named = changes.length > 0 ? changes.map((change) => change.file) : [file];
  return [...new Set(named.filter((path) => path !== ""))];
}

/** The newest call of an id before a message: ids may come again. */
function callBefore(messages: readonly Message[], index: number, id: string): ToolCallPart | undefined {
  for (let at = index; at >= 0; at--)
    for (const part of messages[at]!.parts) if (part.type === "tool-call" && part.id === id) return part;
  return undefined;
}

/** What stands before a passage that may no longer hold. */
export function olderNote(changedAt: number | undefined): string {
  return changedAt === undefined ? "" : `(older: the file was changed in #${changedAt + 1}) `;
}
