import { ConfigError } from "./errors.ts";
import { firstCharacters } from "./first-characters.ts";
import { nearest } from "./nearest.ts";

/** What checks of options and inputs share: how values are tested, and how a refusal speaks of them. */

export function number(option: string, value: unknown, what: string, least: number, most = Infinity): void {
  if (!given(value)) return;
  if (typeof value === "number" && value >= least && value <= most) return;
  const range = least > 0 ? ` from ${least}` : "";
  throw refused(option, `${said(value)} isn't ${what}${range}.`, "Leave it out for the default.");
}

export function oneOf(option: string, value: unknown, names: readonly string[]): void {
  if (!given(value) || names.some((name) => name === value)) return;
  throw refused(option, `${said(value)} isn't known.`, `Choose one of: ${names.join(", ")}.`);
}

/** Refuses a value that isn't what it should be. */
export function check(option: string, value: unknown, isRight: boolean, what: string, fix: string): void {
  if (given(value) && !isRight) throw refused(option, `${said(value)} isn't ${what}.`, fix);
}

export function refused(option: string, message: string, fix: string): ConfigError {
  return new ConfigError({ option, message, fix });
}

/** Null stands for "left out" as well: options from JSON have no undefined. */
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
    message: "there is no such option.",
    fix: meant ? `Did you mean \`${path}${meant}\`?` : `Known here: ${known.join(", ")}.`,
  });
}

export const anything = (): void => undefined;
export const ofTokens = (least: number) => (value: unknown, option: string) =>
  number(option, value, "a number of tokens", least);
export const time = (value: unknown, option: string): void =>
  number(option, value, "a time in milliseconds", 0);
export const text = (fix: string) => (value: unknown, option: string) =>
  check(option, value, typeof value === "string", "a text", fix);

export function checkDialect(dialect: unknown): void {
  if (hasMethods(dialect, "read", "edit", "write")) return;
  throw refused(
    "dialect",
    given(dialect) ? `${said(dialect)} isn't a dialect.` : "it is required.",
    'Import one from "precis/dialects", such as `openaiChat`; `dialectById` finds one by its name.',
  );
}

export function checkCounter(counter: unknown): void {
  if (!given(counter)) return;
  const fix = "Pass a counter such as `charsCounter()`, or leave it out for the default.";
  if (!hasMethods(counter, "count")) throw refused("counter", "it has no method `count`.", fix);
  const { id } = counter as { readonly id?: unknown };
  if (typeof id !== "string" || id === "")
    throw refused("counter", "it has no `id`.", 'Name the way of counting: `{ id: "mine", count }`.');
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
  number(`${option}.input`, input, "a number of tokens", 0);
  number(`${option}.output`, output, "a number of tokens", 0);
}
