import type { Message } from "../core/types.ts";
import { readCall } from "./read-call.ts";
import { headName, type SectionEntry } from "./sections.ts";

/** A file that the tools touched, with what was done to it last. */
export interface TouchedFile {
  readonly path: string;
  /** Name of the last tool that was given it. */
  readonly action: string;
  /** Index of that call's message. */
  readonly message: number;
}

/** The files that calls name, the one touched last first. */
export function touchedFiles(messages: readonly Message[]): TouchedFile[] {
  const files = new Map<string, TouchedFile>();
  messages.forEach((message, index) => {
    for (const part of message.parts) {
      if (part.type !== "tool-call") continue;
      const { file } = readCall(part.name, part.args);
      if (file === undefined) continue;
      files.delete(file);
      files.set(file, { path: file, action: part.name, message: index });
    }
  });
  return [...files.values()].reverse();
}

/** The last part of a path. */
export function baseName(path: string): string {
  let end = path.length;
  while (end > 0 && (path[end - 1] === "/" || path[end - 1] === "\\")) end--;
  const trimmed = path.slice(0, end);
  return trimmed.slice(Math.max(trimmed.lastIndexOf("/"), trimmed.lastIndexOf("\\")) + 1) || path;
}

/** Files by what was done to them last: `Edit: a.ts, b.ts`. */
export function renderFiles(files: readonly TouchedFile[]): SectionEntry[] {
  const byAction = new Map<string, Set<string>>();
  for (const { action, path } of files) {
    const tool = headName(action, "tool").replaceAll(" ", "_") || "tool";
    byAction.set(tool, (byAction.get(tool) ?? new Set()).add(baseName(path)));
  }
  return [...byAction].map(([tool, names]) => ({ head: `${tool}:`, text: [...names].join(", ") }));
}
