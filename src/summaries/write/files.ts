import type { Message } from "../../core/types.ts";
import { type KnownFile, knownFiles } from "../calls/known-files.ts";
import { readCall } from "../calls/read-call.ts";
import { refusedEdits } from "../calls/refusals.ts";
import { headName, type SectionEntry } from "./sections.ts";

/** A file that the tools touched, with what was done to it last. */
interface TouchedFile {
  /** Where it is now; where it was last, if it was deleted. */
  readonly path: string;
  /** Name of the last tool that was given it, or what became of it. */
  readonly action: string;
  /** Index of that call's message. */
  readonly message: number;
  /** Was anything in it changed? */
  readonly isChanged: boolean;
  readonly isDeleted: boolean;
}

/** What became of a file that a call moved or deleted. */
const MOVED = "moved";
const DELETED = "deleted";

/** The files that calls name, the one touched last first. */
export function touchedFiles(messages: readonly Message[]): TouchedFile[] {
  const files = new Map<KnownFile, Pick<TouchedFile, "action" | "message" | "isChanged">>();
  const refused = refusedEdits(messages);
  const known = knownFiles();
  const touch = (file: KnownFile, message: number, action: string, isChanged: boolean): void => {
    const before = files.get(file);
    files.delete(file);
    files.set(file, { action, message, isChanged: isChanged || before?.isChanged === true });
  };
  for (const [index, message] of messages.entries()) {
    for (const part of message.parts) {
      if (part.type !== "tool-call" || refused.has(part)) continue;
      const { file, kind, changes } = readCall(part);
      for (const change of changes) {
        const action = change.type === "move" ? MOVED : change.type === "delete" ? DELETED : part.name;
        if (change.file !== "") touch(known.apply(change).file, index, action, true);
      }
      // A search names the folder in which it looked.
      if (file !== undefined && kind !== "search" && kind !== "edit")
        touch(known.at(file), index, part.name, false);
    }
  }
  // Of two files that had the same name one after the other, the newer one is meant.
  const newest = new Map<string, TouchedFile>();
  for (const [{ path, isDeleted }, touched] of files) {
    newest.delete(path);
    newest.set(path, { path, isDeleted, ...touched });
  }
  return [...newest.values()].reverse();
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

/** Of the ledger's room, at most so much for files whose place nothing shows; the rest is for names that nothing shows. */
const PLACES_SHARE = 0.7;

/** Before the folder that paths are written from. */
const ROOT_NAME = "Folder";

/** With less room the title would take more than the files (tokens). */
const LEAST_LEDGER = 8;

/** The files that a text doesn't show: the ones touched last with their place, others by their names, within so many tokens. */
export function unseenFiles(
  files: readonly TouchedFile[],
  text: string,
  cap: number,
  cost: (text: string) => number,
  /** The folder that paths are written from, and whether the text already has such paths. It is said first where any is. */
  { root, isUsed }: { readonly root: string; readonly isUsed: boolean },
): SectionEntry[] {
  const folder = { head: `${ROOT_NAME}:`, text: root };
  if (cap < LEAST_LEDGER) return isUsed ? [folder] : [];
  let left = cap;
  const takes = (name: string, keeps: number): boolean => {
    const price = cost(name) + 1;
    // A long text is looked through last: of many files most have no room.
    if (left - price < keeps || text.includes(name)) return false;
    left -= price;
    return true;
  };
  const placed = new Set(files.filter(({ path }) => takes(fromRoot(path, root), cap * (1 - PLACES_SHARE))));
  const unseen = files.flatMap((file) => {
    if (placed.has(file)) return [{ action: file.action, name: fromRoot(file.path, root) }];
    const name = baseName(file.path);
    return takes(name, 0) ? [{ action: file.action, name }] : [];
  });
  const isBelow = isUsed || [...placed].some(({ path }) => fromRoot(path, root) !== path);
  return [...(isBelow ? [folder] : []), ...renderFiles(unseen)];
}

/** Shorter folders aren't worth a line of their own (characters). */
export const LEAST_ROOT = 12;

/**
 * The folder that is best said once: the one that saves most where every path below it is written from there on, with its
 * slash. Empty where paths have none in common.
 */
export function commonRoot(paths: readonly string[], shortest = 1): string {
  const below = new Map<string, number>();
  for (const path of new Set(paths)) {
    if (!path.startsWith("/")) continue;
    for (let end = path.lastIndexOf("/"); end >= shortest; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end + 1);
      below.set(folder, (below.get(folder) ?? 0) + 1);
    }
  }
  let best = "";
  let most = 0;
  for (const [folder, count] of below) {
    // Once it has to be written itself.
    const saved = (count - 1) * folder.length;
    if (saved <= most) continue;
    most = saved;
    best = folder;
  }
  return best;
}

/** A text in which paths below the folder are written from there on. Longer paths that only contain it stay as they are. */
export function fromRoot(text: string, root: string): string {
  if (root === "") return text;
  let short = "";
  let from = 0;
  for (let at = text.indexOf(root); at >= 0; at = text.indexOf(root, at + root.length)) {
    if (at > 0 && /[\p{L}\p{N}_.~/-]/u.test(text[at - 1]!)) continue;
    short += text.slice(from, at);
    from = at + root.length;
  }
  return short + text.slice(from);
}

/** The folder that a path lies in, with a slash at its end. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);
