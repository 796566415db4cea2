import { ConfigError } from "./errors.ts";
import { firstCharacters } from "./first-characters.ts";
import { type Kind, LEAST_TOKENS, MOST_TOKENS } from "./options.ts";

/** What checks of options and inputs share: how values are tested, and how a refusal speaks of them. */

/** Strategies that only a streaming session has. */
const STREAM_ONLY: readonly unknown[] = ["summarize-and-keep", "state"];

const TOO_MANY = "is larger than any window";

/** Why a value is refused. `problem` goes on from the value: `isn't a number of tokens`. */
export interface Fault {
  readonly problem: string;
  readonly fix: string;
}

/** What keeps a value from being of its kind. `isWritten`: sizes and times may be texts with a unit, too, and were read already. */
export function faultOf(
  kind: Exclude<Kind, { is: "prompt" }>,
  value: unknown,
  isWritten = false,
): Fault | undefined {
  const number = typeof value === "number" ? value : Number.NaN;
  const unless = (isRight: boolean, problem: string, fix: string): Fault | undefined =>
    isRight ? undefined : { problem, fix };
  const tokens = (least: number, most = isWritten ? MOST_TOKENS : Number.POSITIVE_INFINITY) =>
    unless(
      number >= least && number <= most,
      number >= 0 && number < least
        ? "is too few tokens"
        : number > most
          ? TOO_MANY
          : "isn't a number of tokens",
      `${number > 0 && number < least ? `Did you mean ${isWritten ? `${number}k` : `${number}_000`}? ` : ""}Give a whole number of at least ${least}, such as ${isWritten ? "8192, 32k or 1m" : "8_000"}.`,
    );
  const count = (what: string, least: number, most = Number.MAX_SAFE_INTEGER) =>
    unless(
      Number.isSafeInteger(number) && number >= least && number <= most,
      !Number.isSafeInteger(number)
        ? `isn't a ${what}`
        : number < least
          ? `is less than ${least}`
          : `is more than ${most}`,
      `Give a whole number from ${least}${most === Number.MAX_SAFE_INTEGER ? "" : ` to ${most}`}.`,
    );
  const meant = number > 1 && number < LEAST_TOKENS ? `Did you mean ${number / 100}? ` : "";
  switch (kind.is) {
    case "size":
      return tokens(isWritten ? LEAST_TOKENS : 1, isWritten ? MOST_TOKENS : Number.MAX_VALUE);
    case "tokens":
      return tokens(kind.least);
    case "threshold":
      return unless(
        (kind.none && number === 0) ||
          (number > 0 && number <= 1) ||
          (number >= LEAST_TOKENS && number <= MOST_TOKENS),
        number > MOST_TOKENS ? TOO_MANY : "is neither a share nor a number of tokens",
        `${meant}Give ${kind.none ? "0 for none, a share" : "a share above 0 and"} up to 1, such as 0.8${isWritten ? " or 80%" : ""}, or at least ${LEAST_TOKENS} tokens, such as 8192${isWritten ? " or 8k" : ""}.`,
      );
    case "share":
      return unless(
        number > 0 && number <= 1,
        "isn't a valid share",
        `${meant}Give a number above 0 and up to 1, such as 0.4.`,
      );
    case "count":
      return count(kind.what, kind.least, kind.most);
    case "number":
      return unless(
        number >= kind.least && number <= kind.most,
        `isn't a valid ${kind.what}`,
        `Give a number from ${kind.least} to ${kind.most}.`,
      );
    case "time":
      return unless(
        number >= kind.least,
        "isn't a valid duration",
        `Give ${kind.least === 0 ? "0 or more" : "whole"} milliseconds, such as 30000${isWritten ? ", or a time such as 500ms, 30s, 10m or 2h" : ""}.`,
      );
    case "switch":
      return unless(typeof value === "boolean", "is neither true nor false", "Give true or false.");
    case "choice": {
      const close = typeof value === "string" ? nearest(value, kind.names) : undefined;
      return unless(
        kind.names.some((name) => name === value),
        kind.what === "strategy" && STREAM_ONLY.includes(value)
          ? "is a strategy of streaming sessions only"
          : `isn't a valid ${kind.what}`,
        `${close === undefined ? "" : `Did you mean ${close}? `}It is one of ${kind.names.join(", ")}.`,
      );
    }
    case "choice or count":
      return unless(
        kind.names.some((name) => name === value) || !count("", 0),
        `isn't a valid choice of ${kind.of}`,
        `Give ${kind.names.map((name) => `"${name}"`).join(", ")}, or how many of the newest to keep, such as 2.`,
      );
    case "text": {
      const { what, most, least = 0 } = kind;
      const limits = [
        ...(least > 0 ? [`at least ${least}`] : []),
        ...(most < Number.MAX_SAFE_INTEGER ? [`at most ${most}`] : []),
      ];
      return unless(
        typeof value === "string" && value.length >= least && value.length <= most,
        typeof value === "string" && value !== "" ? `is too long for a ${what}` : `isn't a ${what}`,
        `Give a text${limits.length === 0 ? "" : ` of ${limits.join(" and ")} characters`}.`,
      );
    }
    default:
      return kind satisfies never;
  }
}

/** Refuses a value that is given and isn't of its kind. */
export const ofKind =
  (kind: Parameters<typeof faultOf>[0]) =>
  (value: unknown, option: string): void => {
    const fault = given(value) ? faultOf(kind, value) : undefined;
    if (fault) throw refused(option, `${said(value)} ${fault.problem}.`, fault.fix);
  };

/** Refuses a value that isn't what it should be. */
export function check(option: string, value: unknown, isRight: boolean, what: string, fix: string): void {
  if (given(value) && !isRight) throw refused(option, `${said(value)} isn't ${what}.`, fix);
}

export function refused(option: string, message: string, fix: string): ConfigError {
  return new ConfigError({ option, message, fix });
}

/** `null` means omitted, too: options from JSON have no undefined. */
export function given<T>(value: T): value is T & {} {
  return value !== undefined && value !== null;
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  return (
    isObject(value) && names.every((name) => typeof (value as Record<string, unknown>)[name] === "function")
  );
}

/** A value as an error shows it: short, and never the content of an object. */
export function said(value: unknown): string {
  if (typeof value === "string") return `"${firstCharacters(value, 40)}"`;
  return isObject(value) ? (Array.isArray(value) ? "a list" : "an object") : String(value);
}

/** What may be given under each name, with its check. */
export type Checks<T> = { readonly [K in keyof Required<T>]: (value: unknown, option: string) => void };

/** Refuses names that aren't known, and values that can't be read. */
export function checkNames(
  input: object,
  checks: Readonly<Record<string, (value: unknown, option: string) => void>>,
  path = "",
): void {
  for (const [name, value] of Object.entries(input) as [string, unknown][]) {
    if (value === undefined) continue;
    if (!Object.hasOwn(checks, name)) throw unknownOption(name, Object.keys(checks), path);
    checks[name]!(value, `${path}${name}`);
  }
}

export function unknownOption(name: string, known: readonly string[], path = ""): ConfigError {
  const meant = nearest(name, known);
  return new ConfigError({
    option: `${path}${name}`,
    message: "unknown option.",
    fix: meant ? `Did you mean \`${path}${meant}\`?` : `Known here: ${known.join(", ")}.`,
  });
}

export const anything = (): void => undefined;
export const ofTokens = (least: number) => ofKind({ is: "tokens", least });
export const ofChoice = (what: string, names: readonly string[]) => ofKind({ is: "choice", what, names });
export const duration = ofKind({ is: "time", least: 0 });
export const timestamp = (value: unknown, option: string) =>
  check(
    option,
    value,
    Number.isFinite(value) && (value as number) >= 0,
    "a timestamp in milliseconds",
    "Give one such as `Date.now()` or `date.getTime()`.",
  );
export const truth = ofKind({ is: "switch" });
export const text = (fix: string) => (value: unknown, option: string) =>
  check(option, value, typeof value === "string", "a text", fix);

export function checkDialect(dialect: unknown): void {
  if (hasMethods(dialect, "read", "edit", "write")) return;
  throw refused(
    "dialect",
    given(dialect) ? `${said(dialect)} isn't a dialect.` : "it is required.",
    'Import one from "precis/dialects", such as `openaiChat`, or look one up with `dialectById`.',
  );
}

export function checkCounter(counter: unknown): void {
  if (!given(counter)) return;
  const fix = "Pass a counter such as `charsCounter()`, or omit it for the default.";
  if (!hasMethods(counter, "count")) throw refused("counter", "it has no method `count`.", fix);
  const { id } = counter as { readonly id?: unknown };
  if (typeof id !== "string" || id === "")
    throw refused("counter", "it has no `id`.", 'Name it: `{ id: "mine", count }`.');
}

/** Usage that tells nothing: mistyped fields would silently leave everything as it is. */
export function checkUsage(usage: unknown, option: string, fix: string): void {
  if (!given(usage)) return;
  check(option, usage, isObject(usage), "an object", fix);
  const { input, output } = usage as Record<string, unknown>;
  if (!given(input) && !given(output))
    throw refused(
      option,
      "it has neither `input` nor `output`.",
      "Give the provider's numbers as `{ input, output }`.",
    );
  ofTokens(0)(input, `${option}.input`);
  ofTokens(0)(output, `${option}.output`);
}

/** More edits than this, or than a third of the word, and it is another word. */
const MAX_EDITS = 3;

/** The known word that a mistyped one most likely stands for. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.min(MAX_EDITS, Math.max(1, Math.ceil(word.length / 3))) + 1;
  for (const candidate of known) {
    // Each character too many is an edit: a word of megabytes is like none of these, and needn't be compared.
    if (Math.abs(candidate.length - word.length) >= least && !candidate.startsWith(word)) continue;
    const edits = candidate.startsWith(word) && word.length > 1 ? 1 : editDistance(word, candidate);
    // Two edits that change the first letter, too, mostly lead to another word.
    if (edits < (candidate[0] === word[0] ? least : Math.min(least, 2))) {
      best = candidate;
      least = edits;
    }
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let edits = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits = Math.min(edits, before[j - 2]! + 1);
      current.push(edits);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length]!;
}
