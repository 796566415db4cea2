import { isRecord } from "../core/is-record.ts";
import type { Pause } from "../core/pause.ts";
import { sameMessage } from "../core/same-message.ts";
import type { Dialect, Message } from "../core/types.ts";
import { readCall } from "../summaries/calls/read-call.ts";
import { isRefusal } from "../summaries/calls/refusals.ts";
import { createMemoryIndex, type MemoryIndex } from "./memory-index.ts";

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

/** Names of tools that change a file. */
const CHANGES = /edit|write|patch|replace|create|insert|update|apply|append|delete|remove|move|rename|save/i;

/** Which files were changed where: what an older passage says about one may no longer hold. */
interface FileChanges {
  add(message: Message): void;
  truncate(length: number): void;
  /** The newest later message that changed the file which a part of this message is about. */
  changedAfter(index: number, part: number): number | undefined;
}

export function createFileChanges(): FileChanges {
  /** By message and part: the files that a call or its result is about. */
  const about: (ReadonlyMap<number, readonly string[]> | undefined)[] = [];
  const filesOfCall = new Map<string, readonly string[]>();
  /** By call: the message that would change the file. */
  const changeOfCall = new Map<string, number>();
  /** Messages that changed a file, ascending. */
  const changes = new Map<string, number[]>();
  const takeBack = (file: string, change: number): void => {
    const places = changes.get(file) ?? [];
    const at = places.lastIndexOf(change);
    changes.set(
      file,
      places.filter((_, place) => place !== at),
    );
  };
  return {
    add(message) {
      const index = about.length;
      const files = new Map<number, readonly string[]>();
      let part = -1;
      for (const one of message.parts) {
        if (one.type !== "reasoning") part++;
        if (one.type === "tool-call") {
          const { file, changes: made } = readCall(one);
          const named = made.length > 0 ? [...new Set(made.map((change) => change.file))] : [file ?? ""];
          const known = named.filter((path) => path !== "");
          if (known.length === 0) continue;
          filesOfCall.set(one.id, known);
          files.set(part, known);
          if (made.length === 0 && !CHANGES.test(one.name)) continue;
          for (const path of known) changes.set(path, [...(changes.get(path) ?? []), index]);
          changeOfCall.set(one.id, index);
        } else if (one.type === "tool-result") {
          const known = filesOfCall.get(one.id);
          if (known === undefined) continue;
          files.set(part, known);
          const change = changeOfCall.get(one.id);
          if (change !== undefined && isRefusal(one)) for (const path of known) takeBack(path, change);
        }
      }
      about.push(files.size > 0 ? files : undefined);
    },
    truncate(length) {
      about.splice(length);
      for (const [file, places] of changes)
        changes.set(
          file,
          places.filter((place) => place < length),
        );
    },
    changedAfter(index, part) {
      let newest = -1;
      for (const file of about[index]?.get(part) ?? [])
        newest = Math.max(newest, changes.get(file)?.at(-1) ?? -1);
      return newest > index ? newest : undefined;
    },
  };
}

/** What stands before a passage that may no longer hold. */
export function olderNote(changedAt: number | undefined): string {
  return changedAt === undefined ? "" : `(older: the file was changed in #${changedAt + 1}) `;
}
