import type { FileChange } from "./file-change.ts";

/** A patch: as Codex writes it, as `diff` does, or as blocks of what to search and what to put there. */
export const PATCH =
  /^\*\*\* (?:Begin Patch|(?:Update|Add|Delete) File: )|^diff --git |^--- \S.*\r?\n\+\+\+ \S|^@@ |^(?:<{5,9}|-{5,9}) ?SEARCH/m;

const BLOCK_START = /^(?:<{5,9}|-{5,9}) ?SEARCH/;
const BLOCK_MIDDLE = /^={5,9}\s*$/;
const BLOCK_END = /^(?:>{5,9}|\+{5,9}) ?REPLACE/;
/** What some programs write between the start of a block and its text. */
const BLOCK_NOTE = /^(?::(?:start|end)_line:.*|-{7})$/;
// A path has at most 300 characters.
const CODEX_HEAD = /^\*\*\* (Update|Add|Delete) File: (\S.{0,299})$/;
const CODEX_MOVE = /^\*\*\* Move to: (\S.{0,299})$/;
const CODEX_FRAME = /^\*\*\* (?:Begin Patch|End of File)/;
const CODEX_END = /^\*\*\* End Patch/;
const DIFF_FILE = /^(?:---|\+\+\+) (?:[ab]\/)?([^\t]{1,300})/;
const NO_FILE = "/dev/null";
const RENAMED = /^rename (from|to) (\S.{0,299})$/;

/** Reads what a patch does to each of its files. `file`: whose patch it is, if it doesn't say. */
export function readPatch(patch: string, file: string): FileChange[] {
  const lines = patch.split(/\r?\n/);
  if (lines.some((line) => BLOCK_START.test(line))) return readBlocks(lines, file);
  return lines.some((line) => CODEX_HEAD.test(line)) ? readCodex(lines) : readDiff(lines, file);
}

function readBlocks(lines: readonly string[], file: string): FileChange[] {
  const changes: FileChange[] = [];
  let old: string[] | undefined;
  let now: string[] | undefined;
  for (const line of lines) {
    if (BLOCK_START.test(line)) {
      old = [];
      now = undefined;
    } else if (old === undefined) continue;
    else if (BLOCK_END.test(line)) {
      changes.push(replacement(file, old, now ?? []));
      old = undefined;
    } else if (now !== undefined) now.push(line);
    else if (BLOCK_MIDDLE.test(line)) now = [];
    else if (old.length > 0 || !BLOCK_NOTE.test(line)) old.push(line);
  }
  return changes;
}

function readCodex(lines: readonly string[]): FileChange[] {
  const changes: FileChange[] = [];
  const hunk = createHunk(changes);
  let file = "";
  let move: FileChange | undefined;
  const endFile = (): void => {
    hunk.end();
    if (move !== undefined) changes.push(move);
    move = undefined;
  };
  for (const line of lines) {
    const [, action, path] = CODEX_HEAD.exec(line) ?? [];
    const target = CODEX_MOVE.exec(line)?.[1];
    if (action !== undefined) {
      endFile();
      file = path!.trim();
      if (action === "Delete") changes.push({ type: "delete", file });
      else hunk.begin(file, action === "Add");
    } else if (target !== undefined) move = { type: "move", file, to: target.trim() };
    else if (CODEX_END.test(line)) break;
    else if (line.startsWith("@@")) hunk.next();
    else if (!CODEX_FRAME.test(line)) hunk.add(line);
  }
  endFile();
  return changes;
}

function readDiff(lines: readonly string[], given: string): FileChange[] {
  const changes: FileChange[] = [];
  const hunk = createHunk(changes);
  let from = "";
  // Without a head it is a patch of the file that the call names.
  hunk.begin(given, false);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const below = lines[at + 1] ?? "";
    const [, side, path] = RENAMED.exec(line) ?? [];
    // A removed line that begins with two dashes looks like a head, but has no second line below it.
    if (line.startsWith("--- ") && below.startsWith("+++ ")) {
      hunk.end();
      const old = DIFF_FILE.exec(line)?.[1]?.trim() ?? given;
      const now = DIFF_FILE.exec(below)?.[1]?.trim() ?? given;
      if (now === NO_FILE) changes.push({ type: "delete", file: old });
      else hunk.begin(now, old === NO_FILE);
      at++;
    } else if (side === "from") from = path!.trim();
    else if (side === "to") changes.push({ type: "move", file: from, to: path!.trim() });
    else if (line.startsWith("@@")) hunk.next();
    else if (line.startsWith("diff --git ")) hunk.end();
    else if (/^[-+ ]/.test(line) || line === "") hunk.add(line);
  }
  hunk.end();
  return changes;
}

/** Puts lines of a patch together to what they replace and what they put there. */
function createHunk(changes: FileChange[]) {
  let file: string | undefined;
  let isWhole = false;
  let old: string[] = [];
  let now: string[] = [];
  const next = (): void => {
    if (file !== undefined && old.length + now.length > 0 && old.join("\n") !== now.join("\n"))
      changes.push(isWhole ? { type: "write", file, now: now.join("\n") } : replacement(file, old, now));
    old = [];
    now = [];
  };
  return {
    next,
    begin(path: string, whole: boolean): void {
      next();
      file = path;
      isWhole = whole;
    },
    end(): void {
      next();
      file = undefined;
    },
    add(line: string): void {
      if (line.startsWith("+")) now.push(line.slice(1));
      else if (line.startsWith("-")) old.push(line.slice(1));
      else {
        const kept = line.replace(/^ /, "");
        old.push(kept);
        now.push(kept);
      }
    },
  };
}

function replacement(file: string, old: readonly string[], now: readonly string[]): FileChange {
  return { type: "replace", file, old: old.join("\n"), now: now.join("\n"), all: false, inLines: true };
}
