import { isRecord } from "../../core/json.ts";

/** What a call does to one file. */
export type FileChange = TextChange | NameChange;

interface OfFile {
  readonly file: string;
}

/** A change of what stands in a file. */
type TextChange =
  | (OfFile & {
      /** Puts a text in the place of another one; without an old text it is put in somewhere. */
      readonly type: "replace";
      readonly old: string;
      readonly now: string;
      /** In every place, not only in the one. */
      readonly all: boolean;
      /** Both texts are lines from their beginning to their end. */
      readonly inLines?: true;
    })
  | (OfFile & {
      /** Gives a file its whole text. */
      readonly type: "write";
      readonly now: string;
    });

/** A change of where a file is. */
type NameChange =
  | (OfFile & { readonly type: "delete" })
  | (OfFile & {
      readonly type: "move";
      readonly to: string;
    });

/** Lines of a text without their indentation. */
export function lineSet(text: string): ReadonlySet<string> {
  return new Set(text.split("\n").map((line) => line.trim()));
}

/** The lines that a change adds, as far as the change itself says. */
export function addedText(change: FileChange): string {
  if (change.type === "write") return change.now;
  if (change.type !== "replace") return "";
  const old = lineSet(change.old);
  return change.now
    .split("\n")
    .filter((line) => !old.has(line.trim()))
    .join("\n");
}

/** The text that a change replaces, or quotes only to say where. */
export function leftText(change: FileChange): string {
  return change.type === "replace" ? change.old : "";
}

/** Names that tools give to the text that is there, and to the text that shall be there. */
const OLD_TEXT = /^(?:old|search|before|find|original|target)/i;
const NEW_TEXT =
  /^(?:new|replace(?!_?all)|after|contents?$|text$|file_?text|insert|code$|code_edit|body$|source$|data$)/i;
/** Names of paths, which begin like texts in some tools (`old_path`, `target_file`). */
const PATH = /path|file(?!_?text)|uri|url/i;
const MAX_PATH = 300;
const EVERY_PLACE = /^(?:replace_?all|allow_?multiple|all|global)$/i;
/** How many places a tool expects to change. */
const PLACES = /^expected_?replacements$/i;
/** A text by one of these names is a whole file, unless something says where in the file it goes. */
const WHOLE_TEXT = /^(?:new_?)?(?:contents?|text|file_?text|code|body|source|data)$/i;
const PLACE =
  /(?:^|_)(?:lines?|range|start|end|offset|position|index|cell|anchor|insert|append)|Line|Range|Start|End|Offset|Position|Index|Cell|Anchor/;
const ADDS = /insert|append/i;
/** Longer values aren't the name of what is done (characters). */
const MAX_ACTION = 10;
const TAKES_PATCH = /patch|diff/i;
const DELETES =
  /(?:^|[_.-])(?:delete|remove|unlink|rm|trash)(?:_?(?:file|path|dir|directory|folder|entry))?$/i;
const MOVES = /(?:^|[_.-])(?:move|rename|mv)(?:_?(?:file|path|dir|directory|folder|entry))?$/i;
const MOVED_FROM = /^(?:source|src|from|old)/i;
const MOVED_TO = /^(?:destination|dest|dst|to|new|target)/i;
const MAX_DEPTH = 6;

export function namesFile(argument: string): boolean {
  return PATH.test(argument);
}

/**
 * Reads from the arguments of a call what it does to files: old and new text, whole texts, patches, or where a file goes. None: no
 * edit. `file`: the file that the call is about.
 */
export function readEdit(tool: string, value: unknown, file: string | undefined): FileChange[] {
  const changes: FileChange[] = [];
  visit(value, file, false, 0);
  if (changes.length > 0 || !isRecord(value)) return changes;
  const from = textOf(value, (name) => MOVED_FROM.test(name));
  const to = textOf(value, (name) => MOVED_TO.test(name));
  if (MOVES.test(tool) && from !== undefined && to !== undefined) return [{ type: "move", file: from, to }];
  return DELETES.test(tool) && file !== undefined ? [{ type: "delete", file }] : [];

  function visit(item: unknown, above: string | undefined, all: boolean, depth: number): void {
    if (depth > MAX_DEPTH) return;
    if (typeof item === "string") {
      // One by one: a patch may be of more files than a call takes arguments.
      if (PATCH.test(item)) for (const change of readPatch(item, above ?? "")) changes.push(change);
    } else if (Array.isArray(item)) for (const one of item) visit(one, above, all, depth + 1);
    else if (isRecord(item)) visitFields(item, above, all, depth);
  }

  function visitFields(
    item: Record<string, unknown>,
    above: string | undefined,
    all: boolean,
    depth: number,
  ) {
    const own = textOf(item, (name, text) => PATH.test(name) && isPath(text)) ?? above;
    const everywhere = all || Object.entries(item).some(([name, field]) => saysAll(name, field));
    const rest: unknown[] = [];
    let old: string | undefined;
    let now: { readonly name: string; readonly text: string } | undefined;
    for (const [name, field] of Object.entries(item)) {
      if (typeof field !== "string" || isPatch(name, field)) rest.push(field);
      else if (PATH.test(name)) continue;
      else if (OLD_TEXT.test(name)) old ??= field;
      else if (NEW_TEXT.test(name)) now ??= { name, text: field };
    }
    // What stands beside a patch says what it is for.
    const hasPatch = rest.some((field) => typeof field === "string");
    if (now !== undefined && own !== undefined && !hasPatch) {
      const isWhole = old === undefined && isWholeText(tool, now.name, item);
      if (isWhole) changes.push({ type: "write", file: own, now: now.text });
      else if (old !== undefined || now.text !== "")
        changes.push({ type: "replace", file: own, old: old ?? "", now: now.text, all: everywhere });
    }
    for (const field of rest) visit(field, own, everywhere, depth + 1);
  }

  /** A file may hold the text of a patch. */
  function isPatch(name: string, text: string): boolean {
    const isText = OLD_TEXT.test(name) || NEW_TEXT.test(name);
    return PATCH.test(text) && (!isText || TAKES_PATCH.test(tool));
  }
}

function isPath(text: string): boolean {
  return text !== "" && text.length <= MAX_PATH && !text.includes("\n");
}

function textOf(
  item: Record<string, unknown>,
  isMeant: (name: string, text: string) => boolean,
): string | undefined {
  for (const [name, field] of Object.entries(item))
    if (typeof field === "string" && field !== "" && isMeant(name, field)) return field;
  return undefined;
}

function saysAll(name: string, field: unknown): boolean {
  if (PLACES.test(name)) return Number(field) > 1;
  return EVERY_PLACE.test(name) && (field === true || field === "true");
}

/** Is the text all that the file will hold? */
function isWholeText(tool: string, name: string, item: Record<string, unknown>): boolean {
  if (!WHOLE_TEXT.test(name) || ADDS.test(tool)) return false;
  return Object.entries(item).every(([other, field]) => {
    if (other === name || field === null || field === "") return true;
    const isAction = typeof field === "string" && field.length <= MAX_ACTION && ADDS.test(field);
    return !PLACE.test(other) && !isAction;
  });
}

/** A patch: as Codex writes it, as `diff` does, or as blocks of what to search and what to put there. */
const PATCH =
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
function readPatch(patch: string, file: string): FileChange[] {
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
