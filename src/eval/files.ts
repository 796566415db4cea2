import type { ChatMessage } from "./types.ts";

/** Tools of coding agents that change files, and those that read one. */
const EDIT_TOOLS = new Set([
  "Edit",
  "MultiEdit",
  "Write",
  "NotebookEdit",
  "apply_patch",
  "edit",
  "write",
  "str_replace_editor",
]);
const READ_TOOLS = new Set(["Read", "read", "NotebookRead"]);

const PATH_FIELD = /"(?:file_path|path|notebook_path)"\s*:\s*"((?:[^"\\]|\\.)*)"/;
const PATCHED_FILE = /\*\*\* (?:Add|Update|Delete) File: ([^\n\\"]+)/g;

export function isEdit(tool: string): boolean {
  return EDIT_TOOLS.has(tool);
}

function pathsOf(args: string): string[] {
  const field = PATH_FIELD.exec(args)?.[1];
  const patched = [...args.matchAll(PATCHED_FILE)].map((match) => match[1]!.trim());
  return field === undefined ? patched : [field, ...patched];
}

/** Base names of the files that these messages' calls edit and read. */
export function filesTouched(messages: readonly ChatMessage[]): { edited: string[]; read: string[] } {
  const edited = new Set<string>();
  const read = new Set<string>();
  for (const message of messages) {
    for (const { function: call } of message.tool_calls ?? []) {
      const into = isEdit(call.name) ? edited : READ_TOOLS.has(call.name) ? read : undefined;
      if (!into) continue;
      for (const path of pathsOf(call.arguments)) into.add(path.slice(path.lastIndexOf("/") + 1));
    }
  }
  return { edited: [...edited], read: [...read] };
}
