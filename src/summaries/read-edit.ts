/** One argument of a call, however deep it stands. */
export interface Argument {
  readonly name: string;
  readonly value: string;
  readonly isText: boolean;
}

/** What an edit does to a file. */
export interface EditText {
  readonly file: string | undefined;
  /** The lines that it adds. */
  readonly added: string;
  /** The lines that it replaces, or quotes only to say where. */
  readonly left: string;
  /** Those of them that are gone afterwards. */
  readonly removed: string;
}

/** Names that tools give to the text that is there, and to the text that shall be there. */
const OLD_TEXT = /^(?:old|search|before|find|original|target)/i;
const NEW_TEXT =
  /^(?:new|replace(?!_all|all)|after|contents?$|text$|file_?text|insert|code$|code_edit|body$|source$|data$)/i;
const PATCH = /^\*\*\* (?:Begin Patch|(?:Update|Add|Delete) File: )|^diff --git |^--- \S|^@@ /m;
const PATCHED_FILE = /^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b\/)?)(\S.*)$/m;
const PATCH_FRAME = /^(?:\*\*\* |diff --git |index |--- |\+\+\+ |@@)/;

/** Reads an edit from the arguments of a call: old and new text of a file, its whole content, or a patch. Undefined: no edit. */
export function readEdit(list: readonly Argument[], file: string | undefined): EditText | undefined {
  const patch = list.find(({ isText, value }) => isText && PATCH.test(value));
  if (patch !== undefined) return readPatch(patch.value, file);
  if (file === undefined) return undefined;
  const added: string[] = [];
  const left: string[] = [];
  const removed: string[] = [];
  let old: ReadonlySet<string> = new Set();
  for (const { name, value, isText } of list) {
    if (!isText) continue;
    if (OLD_TEXT.test(name)) {
      old = linesIn(value);
      left.push(value);
    } else if (NEW_TEXT.test(name)) {
      // One by one: no function takes as many arguments as a large file has lines.
      for (const line of value.split("\n")) if (!old.has(line.trim())) added.push(line);
      const now = linesIn(value);
      for (const line of old) if (!now.has(line)) removed.push(line);
      old = new Set();
    }
  }
  return added.length + left.length === 0
    ? undefined
    : { file, added: added.join("\n"), left: left.join("\n"), removed: removed.join("\n") };
}

function linesIn(text: string): ReadonlySet<string> {
  return new Set(text.split("\n").map((line) => line.trim()));
}

function readPatch(patch: string, file: string | undefined): EditText {
  const added: string[] = [];
  const left: string[] = [];
  const taken: string[] = [];
  for (const line of patch.split("\n")) {
    if (PATCH_FRAME.test(line)) continue;
    if (line.startsWith("+")) added.push(line.slice(1));
    else left.push(line.replace(/^[- ]/, ""));
    if (line.startsWith("-")) taken.push(line.slice(1));
  }
  const now = linesIn(added.join("\n"));
  return {
    file: PATCHED_FILE.exec(patch)?.[1]?.trim() ?? file,
    added: added.join("\n"),
    left: left.join("\n"),
    removed: taken.filter((line) => !now.has(line.trim())).join("\n"),
  };
}
