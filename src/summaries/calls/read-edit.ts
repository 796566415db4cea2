import { isRecord } from "../../core/is-record.ts";
import type { FileChange } from "./file-change.ts";
import { PATCH, readPatch } from "./read-patch.ts";

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
