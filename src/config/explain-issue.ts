import type { z } from "zod";
import type { Fault } from "../core/check.ts";
import { cutTo, firstCharacters } from "../core/first-characters.ts";
import { hasSecret, UNKNOWN_KEY, wordsIn } from "./values.ts";

/** Characters of a value or a name that an error repeats. */
const SHOWN_CHARS = 60;

/** What is wrong with which key, and what to give instead. */
export interface Explained {
  /** The whole path, such as `upstreams.0.baseURL`. */
  readonly key: string;
  /** Begins with what was given. */
  readonly problem: string;
  readonly fix: string;
}

/** What a schema of the values in `values.ts` has against an input, in words for whoever wrote it. */
export function explainIssue(issues: readonly z.core.$ZodIssue[], input: unknown): Explained {
  const issue = foremost(issues.map((issue) => narrowest(issue, input)));
  const unknown = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const path = [...issue.path, ...unknown];
  const words = wordsIn(issue.message);
  return {
    key: path.map((name) => clipped(String(name))).join("."),
    problem: problemOf(words, path, input),
    fix: words.fix,
  };
}

/** Of a value that may be of several kinds: what is wrong with it as the kind that was meant. */
function narrowest(issue: z.core.$ZodIssue, input: unknown): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") return issue;
  const isObject = typeof valueAt(input, issue.path) === "object";
  const meant = isObject
    ? issue.errors.find(([first]) => first && (first.path.length > 0 || first.code === "unrecognized_keys"))
    : undefined;
  if (!meant) return issue;
  const inner = foremost(meant);
  return { ...inner, path: [...issue.path, ...inner.path] };
}

/** A key that is missing may be there under a mistyped name. */
function foremost(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue {
  return issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0]!;
}

function problemOf({ problem }: Fault, path: readonly PropertyKey[], input: unknown): string {
  if (problem === UNKNOWN_KEY) return problem;
  const given = valueAt(input, path);
  return given === undefined ? "it is missing" : `${shown(given, path)} ${problem}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/** A value as an error repeats it: short, and never a secret. */
function shown(value: unknown, path: readonly PropertyKey[]): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : "a list";
  if (typeof value === "object" && value !== null) return "an object";
  const holdsSecret = path.some((key) => key === "apiKey" || key === "key" || key === "headers");
  if (holdsSecret || (typeof value === "string" && hasSecret(value))) return "the given value";
  // Configs of programs may hold what JSON can't, bigints among them.
  if (["function", "symbol", "bigint", "undefined"].includes(typeof value)) return `a ${typeof value}`;
  // A text of megabytes isn't written out to show its beginning.
  const text = JSON.stringify(typeof value === "string" ? firstCharacters(value, SHOWN_CHARS + 2) : value);
  return clipped(text);
}

const clipped = (text: string): string => cutTo(text, SHOWN_CHARS);
