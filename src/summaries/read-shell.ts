import type { FileChange } from "./file-change.ts";
import { type ShellCommand, shellCommands } from "./shell-commands.ts";

/** What a command line does to files, in order. */
export interface ShellChange {
  readonly change: FileChange;
  /** Something before it may have failed, and it would not have been run. */
  readonly waits: boolean;
}

/** Commands that hardly ever fail, and say so themselves. */
const SURE = new Set(["cd", "mkdir", "mv", "rm", "git", "touch", "chmod", "cp", "echo", "set", "export"]);
const QUICK_LOOK = /^(?:rm|mv|unlink|cd|git\s.*(?:mv|rm))\b|\b(?:rm|mv|unlink)\s|>/;

/** The files that a command line moves, deletes and writes anew. `folder`: where it is run, if that is known. */
export function readShell(line: string, folder = ""): ShellChange[] {
  if (!QUICK_LOOK.test(line)) return [];
  const changes: ShellChange[] = [];
  let place: string | undefined = folder;
  let waits = false;
  for (const command of shellCommands(line)) {
    // What is run only if something fails, or is fed by something else, isn't a plain change.
    const isPlain = command.operator !== "||" && command.operator !== "|";
    const words = withoutLeading(command);
    const [name = "", ...given] = words;
    if (name === "cd" && isPlain) place = joined(place, given[0]);
    else if (isPlain && place !== undefined)
      for (const change of changesOf(command, name, given, place)) changes.push({ change, waits });
    waits ||= !SURE.has(name);
  }
  return changes;
}

function withoutLeading({ words }: ShellCommand): string[] {
  const texts = words.map(({ text, isOpen }) => (isOpen ? "$" : text));
  const first = texts.findIndex((text) => text !== "sudo" && text !== "command" && !/^\w+=/.test(text));
  return first < 0 ? [] : texts.slice(first);
}

function changesOf(
  { output }: ShellCommand,
  name: string,
  given: readonly string[],
  folder: string,
): FileChange[] {
  const [at, rest] = name === "git" ? ofGit(given, folder) : [folder, [name, ...given]];
  const [action = "", ...words] = rest;
  const flags = words.filter((word) => /^-./.test(word) && word !== "--");
  const paths = words.filter((word) => !flags.includes(word) && word !== "--");
  const isKnown = at !== undefined && !paths.includes("$");
  const written: FileChange[] =
    output === undefined || output.isOpen || output.text === "/dev/null"
      ? []
      : [{ type: "write", file: inFolder(folder, output.text), now: "", inShell: true }];
  if (!isKnown) return written;
  if (action === "mv" && paths.length > 1 && !flags.some((flag) => /^(?:-t|--target|-n$)/.test(flag))) {
    const to = paths.at(-1)!;
    const into =
      paths.length > 2 || to.endsWith("/") || /[*?]/.test(paths[0]!) || /(?:^|\/)\.{1,2}$/.test(to);
    return paths
      .slice(0, -1)
      .map((file) => ({ type: "move", file: inFolder(at, file), to: inFolder(at, to), into, inShell: true }));
  }
  if ((action === "rm" || action === "unlink") && !flags.some((flag) => /^--(?:cached|dry-run)/.test(flag)))
    return paths.map((file) => ({ type: "delete", file: inFolder(at, file), inShell: true }));
  return written;
}

/** What git is asked for, and where. */
function ofGit(given: readonly string[], folder: string): [string | undefined, readonly string[]] {
  let place: string | undefined = folder;
  let at = 0;
  for (; given[at]?.startsWith("-"); at++)
    if (given[at] === "-C" || given[at] === "-c") {
      at++;
      if (given[at - 1] === "-C") place = joined(place, given[at]);
    }
  const action = given[at];
  return action === "mv" || action === "rm" ? [place, given.slice(at)] : [place, []];
}

/** Undefined: nobody can say where. */
function joined(folder: string | undefined, path: string | undefined): string | undefined {
  if (folder === undefined || path === undefined || path.includes("$") || path === "-") return undefined;
  return /^[~/]/.test(path) ? path : inFolder(folder, path);
}

/** A path that counts from a folder, without steps up and down. */
function inFolder(folder: string, path: string): string {
  const whole = folder === "" || /^[~/]/.test(path) ? path : `${folder}/${path}`;
  const parts: string[] = [];
  for (const part of whole.split("/"))
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== "." && (part !== "" || parts.length === 0)) parts.push(part);
  return parts.join("/");
}
