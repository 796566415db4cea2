import { millisecondsIn, typed } from "../config/sizes.ts";
import { faultOf } from "../core/check.ts";
import { LEAST_TOKENS } from "../core/options.ts";

/** A flag of a command, as data: the parser, the help text and the reference are made from it. */
export interface Flag<T = unknown> {
  /** The name of its value in the help text; without one it is a switch. */
  readonly value?: string;
  /** A sentence for people, without a full stop. */
  readonly help: string;
  /** What its text means. Throws `UsageError` for a text that means nothing. */
  read(flag: string, text: string): T;
}
/** Flags by their names in code: `olderThan` is written `--older-than`. */
export type Flags = Readonly<Record<string, Flag>>;
/** The values of flags that were given. */
export type Options<F extends Flags> = {
  readonly [K in keyof F]?: F[K] extends Flag<infer T> ? T : never;
};

/** The command line can't be understood: exit code 2, no stack. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Reads what is typed for a kind of value. */
const ofKind =
  <T>(kind: Parameters<typeof faultOf>[0]) =>
  (name: string, given: string): T => {
    const value = typed(kind, given);
    const fault = faultOf(kind, value, true);
    if (fault) throw new UsageError(`--${name} ${given || '""'}: this ${fault.problem}. ${fault.fix}`);
    return value as T;
  };

/** `8000`, `8,000`, `8_000`, `8k`, `1.5m` as a number of tokens. */
export const parseTokens = (name: string, given: string, least = LEAST_TOKENS): number =>
  ofKind<number>({ is: "tokens", least })(name, given);

export const parseCount = ofKind<number>({ is: "count", what: "whole number", least: 1 });

/** A value out of a list of names, with the nearest one suggested for another. */
export const oneOf = <const T extends string>(name: string, given: string, names: readonly T[]): T =>
  ofKind<T>({ is: "choice", what: name, names })(name, given);

const flag =
  <T>(read: Flag<T>["read"]) =>
  (value: string, help: string): Flag<T> => ({ value, help, read });

export const on = (help: string): Flag<true> => ({ help, read: () => true });
export const text = flag((_, given) => given);
export const tokens = flag((name, given) => parseTokens(name, given));
export const count = flag(parseCount);
export const choice = <const T extends string>(
  value: string,
  help: string,
  names: readonly T[],
): Flag<T> => ({
  value,
  help: help.includes("%s") ? help.replace("%s", names.join(", ")) : `${help}: ${names.join(", ")}`,
  read: (name, given) => oneOf(name, given, names),
});
/** Texts with commas between. */
export const list = flag((_, given) => given.split(",").map((one) => one.trim()));

export const port = flag(ofKind<number>({ is: "count", what: "port", least: 0, most: 65_535 }));

/** `30d`, `12h`, `90m`, `4w` in milliseconds. */
export const age = flag((name, given) => {
  const ms = millisecondsIn(given);
  if (ms === 0)
    throw new UsageError(`--${name} ${given} would remove everything. Give an age, such as 30d or 1m.`);
  if (ms !== undefined) return ms;
  throw new UsageError(
    `--${name} ${given}: give minutes, hours, days or weeks, such as 90m, 12h, 30d or 4w.`,
  );
});

/** A number of tokens, or a share of the transcript (`10%`) as a ratio of at most 1. */
export const budget = flag((name, given): { tokens: number } | { share: number } => {
  const percent = /^(\d+(?:\.\d+)?)\s*%$/.exec(given.trim())?.[1];
  if (percent === undefined) return { tokens: parseTokens(name, given) };
  const share = Number(percent) / 100;
  if (share > 0 && share <= 1) return { share };
  throw new UsageError(
    `--${name} ${given}: a share of the transcript must be more than 0% and at most 100%.`,
  );
});

/** The flag of an option, as it is typed. */
export const flagName = (option: string): string =>
  option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
