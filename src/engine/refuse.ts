import { ConfigError } from "../core/errors.ts";
import { firstCharacters } from "../core/first-characters.ts";

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

/** The options without those that are undefined or null; the same object if there are none. */
export function withoutLeftOut<T extends object>(options: T): T {
  if (!isObject(options) || Object.values(options).every(given)) return options;
  return Object.fromEntries(Object.entries(options).filter(([, value]) => given(value))) as T;
}
