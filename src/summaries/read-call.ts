import { parseReadable } from "../core/deep-json.ts";
/** A call as a person would write it down. */
export interface CallText {
  /** The tool's name and its short arguments, with their names. */
  readonly head: string;
  /** Arguments that are too long for the head, each on lines of its own. */
  readonly body: string;
  /** The file that it is about, if an argument names one. */
  readonly file: string | undefined;
}

/** Arguments up to this length stand in the head (characters). */
const MAX_HEAD_ARGUMENT = 120;
const MAX_HEAD = 240;
const MAX_FILE = 300;
const MAX_DEPTH = 6;
const FILE_ARGUMENT = /path|file|uri|url/i;

/** Reads a call's arguments, whether they are JSON or free text. */
export function readCall(name: string, args: string): CallText {
  const head = [name];
  const body: string[] = [];
  let file: string | undefined;
  const visit = (key: string, item: unknown, depth: number): void => {
    if (item === null || item === undefined || item === "") return;
    if (typeof item === "object" && depth < MAX_DEPTH) {
      for (const [inner, value] of Object.entries(item))
        visit(Array.isArray(item) ? key : inner, value, depth + 1);
      return;
    }
    const value = typeof item === "string" ? item : JSON.stringify(item);
    const text = key === "" ? value : `${key}=${value}`;
    if (
      typeof item === "string" &&
      FILE_ARGUMENT.test(key) &&
      item.length <= MAX_FILE &&
      !item.includes("\n")
    )
      file ??= item;
    if (value.length <= MAX_HEAD_ARGUMENT && !value.includes("\n")) head.push(text);
    else body.push(text);
  };
  visit("", parse(args), 0);
  const line = head.join(" ");
  if (line.length > MAX_HEAD) body.unshift(line.slice(MAX_HEAD));
  return { head: line.slice(0, MAX_HEAD), body: body.join("\n"), file };
}

function parse(args: string): unknown {
  try {
    return parseReadable(args);
  } catch {
    return args;
  }
}
