import { onceFor } from "../../core/collections.ts";
import { firstCharacters } from "../../core/first-characters.ts";
import { tryParseReadable } from "../../core/json.ts";
import type { ToolCallPart } from "../../core/types.ts";
import { addedText, type FileChange, leftText, namesFile, readEdit } from "./file-changes.ts";

/** A step of a plan that an agent keeps with a tool. */
interface PlanStep {
  readonly text: string;
  readonly status: string;
}

/** What the text of a step is called. */
const STEP_TEXTS = ["content", "step", "text", "title", "task", "description", "name", "subject"];
/** Longer lists are data (steps). */
const MAX_STEPS = 100;

/** A call as a person would write it down. */
export interface CallText {
  /** What it does: changes a file, runs a command, keeps a plan, reads a file, searches, or anything else. */
  readonly kind: "edit" | "command" | "plan" | "read" | "search" | "other";
  /** The tool's name and its short arguments, with their names. */
  readonly head: string;
  /** Arguments that are too long for the head, each on lines of its own; of an edit only the lines that it adds. */
  readonly body: string;
  /** Lines that an edit replaces or leaves as they are. */
  readonly left: string;
  /** What an edit does to files, in order. */
  readonly changes: readonly FileChange[];
  /** The file that it is about, if an argument names one; of an edit the first one. */
  readonly file: string | undefined;
  /** What is run, if it is a command. */
  readonly command: string | undefined;
  readonly plan: readonly PlanStep[] | undefined;
  /** The names of its arguments. They stand in the tool's schema, so showing them tells nothing. */
  readonly names: readonly string[];
}

/** Arguments up to this length stand in the head (characters). */
const MAX_HEAD_ARGUMENT = 120;
const MAX_HEAD = 240;
const MAX_FILE = 300;
const MAX_DEPTH = 6;
const COMMAND_ARGUMENT = /^(?:\w+_)?(?:command|cmd|script)$/i;
/** Other keys (paths, titles) are data that stands where names stand. */
const SCHEMA_NAME = /^-?[A-Za-z_][\w-]{0,40}$/;
const SEARCH_ARGUMENT = /pattern|query|glob|regex|search/i;

/** Reads a call's arguments, whether they are JSON or free text. Several parts of a summary ask for the same call. */
export const readCall = onceFor(read);

function read({ name, args }: ToolCallPart): CallText {
  const value = readArguments(args);
  const list = argumentsOf(value);
  const head = [name];
  const body: string[] = [];
  let file: string | undefined;
  for (const argument of list) {
    const { name: key, value: text, isText } = argument;
    if (isText && namesFile(key) && text.length <= MAX_FILE && !text.includes("\n")) file ??= text;
    const shown = key === "" ? text : `${key}=${text}`;
    if (text.length <= MAX_HEAD_ARGUMENT && !text.includes("\n")) head.push(shown);
    else body.push(shown);
  }
  const line = head.join(" ");
  const begin = firstCharacters(line, MAX_HEAD);
  if (begin.length < line.length) body.unshift(line.slice(begin.length));
  const plan = readPlan(value);
  const changes = plan === undefined ? readEdit(name, value, file) : [];
  const asked = commandOf(value);
  // An editor that is told what to do with a file runs nothing: `{ command: "view", path: "a.ts" }`.
  const command = file !== undefined && /^\w+$/.test(asked ?? "") ? undefined : asked;
  const isSearch = list.some((argument) => SEARCH_ARGUMENT.test(argument.name));
  const kind =
    plan !== undefined
      ? "plan"
      : changes.length > 0
        ? "edit"
        : command !== undefined
          ? "command"
          : isSearch
            ? "search"
            : file !== undefined
              ? "read"
              : "other";
  return {
    kind,
    head: begin,
    body: changes.length > 0 ? textsOf(changes, addedText) : body.join("\n"),
    left: textsOf(changes, leftText),
    changes,
    file: changes[0]?.file || file,
    command,
    plan,
    names: list.map((argument) => argument.name).filter((name) => SCHEMA_NAME.test(name)),
  };
}

function textsOf(changes: readonly FileChange[], textOf: (change: FileChange) => string): string {
  return changes
    .map(textOf)
    .filter((text) => text !== "")
    .join("\n");
}

/** One argument of a call, however deep it stands. */
interface Argument {
  readonly name: string;
  readonly value: string;
  readonly isText: boolean;
}

/** The arguments of a call, from the outside in. */
export function argumentsOf(value: unknown): Argument[] {
  const list: Argument[] = [];
  const visit = (key: string, item: unknown, depth: number): void => {
    if (item === null || item === undefined || item === "") return;
    if (typeof item === "object" && depth < MAX_DEPTH) {
      for (const [inner, value] of Object.entries(item))
        visit(Array.isArray(item) ? key : inner, value, depth + 1);
      return;
    }
    const isText = typeof item === "string";
    list.push({ name: key, value: isText ? item : JSON.stringify(item), isText });
  };
  visit("", value, 0);
  return list;
}

/** `{ command: "make" }`, or `{ command: ["bash", "-lc", "make"] }`. */
function commandOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, item] of Object.entries(value)) {
    if (!COMMAND_ARGUMENT.test(name)) continue;
    if (typeof item === "string" && item.trim() !== "") return item.trim();
    const last: unknown = Array.isArray(item) ? item.at(-1) : undefined;
    if (typeof last === "string")
      return /^-/.test(String((item as unknown[]).at(-2))) ? last : (item as unknown[]).join(" ");
  }
  return undefined;
}

/** The arguments of a call as a value; as they are where they aren't JSON. */
export function readArguments(args: string): unknown {
  const value = tryParseReadable(args);
  return value === undefined ? args : value;
}

/** The plan in a call's arguments: a list of steps, each with a status. Undefined: none. */
function readPlan(value: unknown): readonly PlanStep[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const list of Object.values(value)) {
    if (!Array.isArray(list) || list.length === 0 || list.length > MAX_STEPS) continue;
    const steps = list.map(stepOf);
    if (steps.every((step) => step !== undefined)) return steps;
  }
  return undefined;
}

function stepOf(item: unknown): PlanStep | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const fields = item as Record<string, unknown>;
  const text = STEP_TEXTS.map((field) => fields[field]).find((field) => typeof field === "string");
  return typeof fields.status === "string" && typeof text === "string"
    ? { text, status: fields.status }
    : undefined;
}
