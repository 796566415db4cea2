import type { Dialect, Message } from "../core/types.ts";
import { createMemoryIndex, type MemoryIndex } from "./memory-index.ts";
import { createFileChanges, type FileChanges } from "./older.ts";

/** A transcript, read and indexed as far as it has grown. */
export interface ConversationIndex<M> {
  readonly index: MemoryIndex;
  readonly changes: FileChanges;
  readonly messages: readonly Message[];
  /** Reads what is new since the last time. What was changed in place is read again from there on. */
  update(transcript: readonly M[]): void;
}

export function createConversationIndex<M>(dialect: Pick<Dialect<M>, "read">): ConversationIndex<M> {
  const index = createMemoryIndex();
  const changes = createFileChanges();
  const messages: Message[] = [];
  const wire: M[] = [];
  return {
    index,
    changes,
    messages,
    update(transcript) {
      let same = 0;
      while (same < wire.length && wire[same] === transcript[same]) same++;
      if (same < wire.length) {
        wire.length = same;
        messages.length = same;
        index.truncate(same);
        changes.truncate(same);
      }
      for (let at = same; at < transcript.length; at++) {
        const message = dialect.read(transcript[at]!);
        wire.push(transcript[at]!);
        messages.push(message);
        index.add(message);
        changes.add(message);
      }
    },
  };
}
