import { parseArgs } from "node:util";
import { nearest } from "../core/nearest.ts";

export interface Flag {
  /** The name of its value in the help text; without one it is a switch. */
  readonly value?: string;
  readonly help: string;
}

/** What a command takes, as data: the parser and the help text are made from it. */
export interface CommandLine {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly flags: Readonly<Record<string, Flag>>;
  readonly notes: readonly string[];
  readonly examples: readonly string[];
}

export const COMMON_FLAGS = { help: { help: "this text" } } as const satisfies Record<string, Flag>;

export interface ParsedFlags {
  readonly files: readonly string[];
  /** The value of a flag that takes one. */
  value(name: string): string | undefined;
  /** The same as what it means. */
  parsed<T>(name: string, parse: (flag: string, text: string) => T): T | undefined;
  /** True when a switch was given. */
  has(name: string): boolean;
}

export function parseFlags(command: CommandLine, args: readonly string[]): ParsedFlags {
  const flags: Readonly<Record<string, Flag>> = { ...command.flags, ...COMMON_FLAGS };
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      { type: flag.value === undefined ? ("boolean" as const) : ("string" as const) },
    ]),
  );
  const { tokens, positionals } = parseArgs({
    args: args.map((arg) => (arg === "-h" ? "--help" : arg)),
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values = new Map<string, string>();
  for (const token of tokens) {
    // What follows is taken as it is.
    if (token.kind === "option-terminator") break;
    if (token.kind === "positional" && token.value === "")
      throw new UsageError(
        `precis ${command.name} was given an empty argument. A variable that isn't set looks like this: check it, or leave it out.`,
      );
    if (token.kind !== "option") continue;
    const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
    if (flag === undefined) throw unknownFlag(command, token.rawName, Object.keys(flags));
    if (values.has(token.name)) throw new UsageError(`--${token.name} is given twice.`);
    if (flag.value === undefined) {
      if (token.value !== undefined) throw new UsageError(`--${token.name} takes no value.`);
      values.set(token.name, "");
      continue;
    }
    // `--budget -5` is a wrong number rather than a flag that has lost its value.
    const isFlagLike = token.inlineValue !== true && /^-[^\d.]/.test(token.value ?? "");
    if (token.value === undefined || token.value === "" || isFlagLike)
      throw new UsageError(`--${token.name} needs a value: --${token.name} ${flag.value}.`);
    values.set(token.name, token.value);
  }
  return {
    files: positionals,
    value: (name) => values.get(name),
    parsed(name, parse) {
      const text = values.get(name);
      return text === undefined ? undefined : parse(name, text);
    },
    has: (name) => values.has(name),
  };
}

function unknownFlag(command: CommandLine, given: string, known: readonly string[]): UsageError {
  const close = nearest(given.replace(/^-+/, ""), known);
  const hint = close === undefined ? "" : ` Did you mean --${close}?`;
  return new UsageError(`precis ${command.name} has no flag ${given}.${hint}`);
}

export function oneFile(command: CommandLine, flags: ParsedFlags): string {
  const [file, ...more] = flags.files;
  if (file === undefined) throw new UsageError(`precis ${command.name} needs a FILE (or - for stdin).`);
  if (more.length > 0)
    throw new UsageError(
      `precis ${command.name} takes one FILE, but ${more.length + 1} were given: ${flags.files.join(", ")}.`,
    );
  return file;
}

/** A value out of a list of names, with the nearest one suggested for another. */
export function oneOf<T extends string>(
  flag: string,
  given: string | undefined,
  names: readonly T[],
): T | undefined {
  if (given === undefined) return undefined;
  const found = names.find((name) => name === given);
  if (found !== undefined) return found;
  const close = nearest(given, names);
  throw new UsageError(
    `--${flag} ${given}: ${close === undefined ? "it" : `did you mean ${close}? It`} is one of ${names.join(", ")}.`,
  );
}

/** The command line can't be understood: exit code 2, no stack. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
