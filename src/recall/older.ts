import type { Message } from "../core/types.ts";
import { readCall } from "../summaries/calls/read-call.ts";
import { isRefusal } from "../summaries/calls/refusals.ts";

/** Names of tools that change a file. */
const CHANGES = /edit|write|patch|replace|create|insert|update|apply|append|delete|remove|move|rename|save/i;

/** Which files were changed where: what an older passage says about one may no longer hold. */
export interface FileChanges {
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
