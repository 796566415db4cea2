import type { Message } from "../core/types.ts";
import { readCall } from "./read-call.ts";
import { refusedEdits } from "./refused-edits.ts";
import { headName, type SectionEntry } from "./sections.ts";

/** A file that the tools touched, with what was done to it last. */
export interface TouchedFile {
  readonly path: string;
  /** Name of the last tool that was given it, or what became of it. */
  readonly action: string;
  /** Index of that call's message. */
  readonly message: number;
  /** Was anything in it changed? */
  readonly isChanged: boolean;
  readonly isDeleted: boolean;
}

/** The files that calls name, the one touched last first. */
export function touchedFiles(messages: readonly Message[]): TouchedFile[] {
  const refused = refusedEdits(messages);
  const files = new Map<string, TouchedFile>();
  for (const [message, { parts }] of messages.entries())
    for (const part of parts) {
      if (part.type !== "tool-call" || refused.has(part)) continue;
      const touch = (path: string, done: "read" | "changed" | "moved" | "deleted"): void => {
        if (path === "") return;
        const isChanged = done !== "read" || files.get(path)?.isChanged === true;
        const action = done === "moved" || done === "deleted" ? done : part.name;
        files.delete(path);
        files.set(path, { path, action, message, isChanged, isDeleted: done === "deleted" });
      };
      const { file, kind, changes } = readCall(part);
      for (const change of changes) {
        if (change.type === "move") {
          files.delete(change.file);
          touch(change.to, "moved");
        } else touch(change.file, change.type === "delete" ? "deleted" : "changed");
      }
      // A search names the folder in which it looked.
      if (file !== undefined && kind !== "search" && kind !== "edit") touch(file, "read");
    }
  return [...files.values()].reverse();
}

/** The last part of a path. */
export function baseName(path: string): string {
  let end = path.length;
  while (end > 0 && (path[end - 1] === "/" || path[end - 1] === "\\")) end--;
  const trimmed = path.slice(0, end);
  return trimmed.slice(Math.max(trimmed.lastIndexOf("/"), trimmed.lastIndexOf("\\")) + 1) || path;
}

/** Files by what was done to them last: `Edit: src/a.ts, b.ts`. */
function renderFiles(files: readonly { readonly action: string; readonly name: string }[]): SectionEntry[] {
  const byAction = new Map<string, Set<string>>();
  for (const { action, name } of files) {
    const tool = headName(action, "tool").replaceAll(" ", "_") || "tool";
    byAction.set(tool, (byAction.get(tool) ?? new Set()).add(name));
  }
  return [...byAction].map(([tool, names]) => ({ head: `${tool}:`, text: [...names].join(", ") }));
}

/** With less room the title would take more than the files (tokens). */
const LEAST_LEDGER = 8;

/** The names of files that a text doesn't show, the ones touched last first, within so many tokens. */
export function unseenFiles(
  files: readonly TouchedFile[],
  text: string,
  cap: number,
  cost: (text: string) => number,
): SectionEntry[] {
  if (cap < LEAST_LEDGER) return [];
  let left = cap;
  return renderFiles(
    files.flatMap(({ path, action }) => {
      const name = baseName(path);
      const price = cost(name) + 1;
      // A long text is looked through last: of many files most have no room.
      if (price > left || text.includes(name)) return [];
      left -= price;
      return [{ action, name }];
    }),
  );
}
