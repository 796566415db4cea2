import { isRecord } from "../core/is-record.ts";
import type { Pause } from "../core/pause.ts";
import { sameMessage } from "../core/same-message.ts";
import type { Dialect, Message } from "../core/types.ts";
import { createMemoryIndex, type MemoryIndex } from "./memory-index.ts";
import { createFileChanges, type FileChanges } from "./older.ts";

/** A transcript, read and indexed as far as it has grown. */
export interface ConversationIndex<M> {
  readonly index: MemoryIndex;
  readonly changes: FileChanges;
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
  const changes = createFileChanges();
  const messages: Message[] = [];
  /** Of messages without anything nested: what they held when they were read. */
  const copies: (Fields | undefined)[] = [];
  return {
    index,
    changes,
    messages,
    async update(transcript, pause, unchanged = 0) {
      let same = unchanged;
      // By content, never by identity: a host may change the very objects that were read before.
      const saysTheSame = (at: number) =>
        hasFieldsOf(transcript[at]!, copies[at]) || sameMessage(messages[at]!, dialect.read(transcript[at]!));
      while (same < messages.length && same < transcript.length && saysTheSame(same))
        if (++same % MESSAGES_AT_ONCE === 0) await pause();
      if (same < messages.length) {
        messages.length = same;
        copies.length = same;
        index.truncate(same);
        changes.truncate(same);
      }
      for (let at = same; at < transcript.length; at++) {
        if (at % MESSAGES_AT_ONCE === 0) await pause();
        const message = dialect.read(transcript[at]!);
        messages.push(message);
        copies.push(copyOf(transcript[at]!));
        index.add(message);
        changes.add(message);
      }
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** A copy of a plain object that holds texts, numbers and the like only; undefined for anything else. */
function copyOf(wire: unknown): Fields | undefined {
  if (!isRecord(wire) || Object.getPrototypeOf(wire) !== Object.prototype) return undefined;
  const isFlat = Object.values(wire).every(
    (value) => typeof value !== "object" && typeof value !== "function",
  );
  return isFlat ? { ...wire } : undefined;
}

/** Most messages are a role and a text: comparing these takes a fifth of what reading them again does. */
function hasFieldsOf(wire: unknown, copy: Fields | undefined): boolean {
  if (!copy || !isRecord(wire) || Object.getPrototypeOf(wire) !== Object.prototype) return false;
  let more = 0;
  for (const key in wire) {
    if (wire[key] !== copy[key]) return false;
    more++;
  }
  for (const _ in copy) more--;
  return more === 0;
}
