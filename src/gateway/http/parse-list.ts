import { setImmediate as breathe } from "node:timers/promises";
import { isJson, type Json } from "../../apis/shared/fields.ts";
import { parseExact } from "../../core/exact-json.ts";
import { findList, scanList } from "./json-scan.ts";

/** Fields that hold the messages. */
export const MESSAGE_LISTS = ["messages", "input", "contents"] as const;
/** How much of a list is parsed before others have their turn (bytes). */
const SLICE_BYTES = 512 * 1024;

/**
 * A body whose messages are parsed some at a time: a parser can't be interrupted, and takes a quarter of a second for 60 MB. Undefined
 * if the body has no list of messages or isn't what it looks like: then it is for a parser to say what it is.
 */
export async function parseAroundList(bytes: Buffer): Promise<Json | undefined> {
  const found = findList(bytes, MESSAGE_LISTS);
  const list = found && scanList(bytes, found.open);
  if (!list) return undefined;
  try {
    const { "": _, ...before } = parseExact(`${bytes.toString("utf8", 0, found.key)}"":0}`) as Json;
    const after: unknown = parseExact(`{"":0${bytes.toString("utf8", list.close + 1)}`);
    if (!isJson(after)) return undefined;
    const { "": __, ...fields } = after;
    // Twice the same field: which of the two counts is for the parser to say.
    const names = [found.name, ...Object.keys(before)];
    if (Object.hasOwn(before, found.name) || names.some((name) => Object.hasOwn(fields, name)))
      return undefined;
    const items = await parseItems(bytes, found.open, list.ends);
    return items && { ...before, [found.name]: items, ...fields };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function parseItems(
  bytes: Buffer,
  open: number,
  ends: readonly number[],
): Promise<unknown[] | undefined> {
  const items: unknown[] = [];
  let from = open;
  for (let at = 0; at < ends.length; ) {
    const first = at;
    while (at < ends.length && (at === first || ends[at]! - from <= SLICE_BYTES)) at++;
    const to = ends[at - 1]!;
    // What follows an item begins with a comma.
    const piece = parseExact(`[${first === 0 ? "" : "0"}${bytes.toString("utf8", from, to)}]`) as unknown[];
    if (piece.length !== at - first + (first === 0 ? 0 : 1)) return undefined;
    for (const item of first === 0 ? piece : piece.slice(1)) items.push(item);
    from = to;
    await breathe();
  }
  return items;
}
