import { parseArgs } from "node:util";
import { nearest } from "../core/check.ts";
import { PrecisError } from "../core/errors.ts";
import { COMMANDS, type Command, type CommandName, GROUPS } from "./commands.ts";
import { type Flag, type Flags, flagName, type Options, on, UsageError } from "./flags.ts";
import type { Io } from "./io.ts";

/** What a command line asks for. */
type Parsed =
  | { readonly is: "help"; readonly about: string | undefined }
  | {
      readonly is: "run";
      readonly name: CommandName;
      readonly args: readonly string[];
      readonly options: Options<Flags>;
    };

export const HELP = { help: on("show this text") };

/** The commands as `--help` lists them: a group stands for all that belong to it. */
export const TOP_NAMES: readonly string[] = [
  ...new Set(Object.keys(COMMANDS).map((name) => name.split(" ")[0]!)),
];

const isCommand = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);

export function parseCommand([first = "", ...rest]: readonly string[]): Parsed {
  const [second] = rest;
  const asksForHelp = rest.includes("--help") || rest.includes("-h");
  if (isCommand(first)) return parsed(first, rest);
  if (!Object.hasOwn(GROUPS, first)) throw unknownCommand(first);
  const name = `${first} ${second}`;
  if (isCommand(name)) return parsed(name, rest.slice(1));
  if (asksForHelp) return { is: "help", about: first };
  const isNamed = second !== undefined && !second.startsWith("-");
  const { default: usual } = GROUPS[first]!;
  if (!isNamed && usual !== undefined) return parsed(usual, rest);
  const own = membersOf(first).map((one) => one.slice(first.length + 1));
  if (!isNamed) throw new UsageError(`${first} needs one of ${own.join(", ")}.`);
  const close = nearest(second, own);
  throw new UsageError(
    `Unknown subcommand \`${second}\`. ${close === undefined ? `precis ${first} has ${own.join(", ")}.` : `Did you mean precis ${first} ${close}?`}`,
  );
}

export const membersOf = (group: string): readonly CommandName[] =>
  (Object.keys(COMMANDS) as CommandName[]).filter((name) => name.startsWith(`${group} `));

function parsed(name: CommandName, args: readonly string[]): Parsed {
  const command: Command = COMMANDS[name];
  const given = parseFlags(name, command.flags, args);
  if ("help" in given.options) return { is: "help", about: name };
  checkArguments(name, command, given.args);
  return { is: "run", name, ...given };
}

/** The flags of a command line by their names in code, with what they mean; what is no flag is an argument. */
export function parseFlags(
  name: string,
  own: Flags,
  args: readonly string[],
): { readonly args: readonly string[]; readonly options: Options<Flags> } {
  const flags = new Map<string, [option: string, flag: Flag]>(
    Object.entries({ ...own, ...HELP }).map(([option, flag]) => [flagName(option), [option, flag]]),
  );
  const { tokens, positionals } = parseArgs({
    args: args.map((arg) => (arg === "-h" ? "--help" : arg)),
    options: Object.fromEntries(
      [...flags].map(([typed, [, { value }]]) => [
        typed,
        { type: value === undefined ? ("boolean" as const) : ("string" as const) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const texts = new Map<string, string>();
  for (const token of tokens) {
    // What follows is taken as it is.
    if (token.kind === "option-terminator") break;
    if (token.kind === "positional" && token.value === "")
      throw new UsageError(
        `${name} got an empty argument, probably from an unset variable. Set it, or leave it out.`,
      );
    if (token.kind !== "option") continue;
    const [, flag] = flags.get(token.name) ?? [];
    if (flag === undefined) throw unknownFlag(name, token.rawName, [...flags.keys()]);
    if (texts.has(token.name)) throw new UsageError(`--${token.name} is given twice.`);
    // `--budget -5` is a wrong number rather than a flag that has lost its value.
    const isFlagLike = token.inlineValue !== true && /^-[^\d.]/.test(token.value ?? "");
    if (flag.value === undefined && token.value !== undefined)
      throw new UsageError(`--${token.name} takes no value.`);
    if (flag.value !== undefined && (!token.value || isFlagLike))
      throw new UsageError(`--${token.name} needs a value: --${token.name} ${flag.value}.`);
    texts.set(token.name, token.value ?? "");
  }
  // Whoever asks for help isn't told about the rest.
  const read = texts.has("help") ? [["help", ""] as const] : texts;
  const options = Object.fromEntries(
    [...read].map(([typed, text]) => {
      const [option, flag] = flags.get(typed)!;
      return [option, flag.read(typed, text)];
    }),
  );
  return { args: positionals, options };
}

function unknownFlag(name: string, given: string, known: readonly string[]): UsageError {
  const bare = given.replace(/^-+/, "");
  const kin: readonly Command[] = membersOf(name.split(" ")[0]!).map((one) => COMMANDS[one]);
  if (kin.some(({ flags }) => Object.keys(flags).map(flagName).includes(bare)))
    return new UsageError(`${given} doesn't go with precis ${name}.`);
  const close = nearest(bare, known);
  const hint = close === undefined ? "" : ` Did you mean --${close}?`;
  return new UsageError(`${name} has no flag ${given}.${hint}`);
}

/** Refuses too few or too many arguments, by what the table says a command takes. */
export function checkArguments(
  name: string,
  { args, lacks }: Pick<Command, "args" | "lacks">,
  given: readonly string[],
) {
  const wanted = args
    .replace(/--\w+ \w+/g, "")
    .split(" ")
    .filter((one) => /^\[?\w/.test(one));
  const [first = "", second] = wanted;
  const least = wanted.filter((one) => /^\w/.test(one) && !one.startsWith("ARGS")).length;
  if (given.length < least)
    throw new UsageError(lacks ?? `${name} needs a ${first}${first === "FILE" ? " (or - for stdin)" : ""}.`);
  if (wanted.some((one) => one.endsWith("…")) || given.length <= wanted.length) return;
  if (first === "") throw new UsageError(`${name} takes no FILE, but ${given[0]} was given.`);
  const one = [first, second].filter(Boolean).map((arg) => `one ${arg!.replace(/[[\]]/g, "")}`);
  throw new UsageError(
    `${name} takes ${one.join(" and ")}, but ${given.length} were given: ${given.join(", ")}.`,
  );
}

function unknownCommand(name: string): UsageError {
  if (name.startsWith("-"))
    return new UsageError(`${name} isn't a flag of precis itself. Name a command first.`);
  const close = name === "version" ? "--version" : nearest(name, TOP_NAMES);
  const hint =
    close === undefined ? `The commands are ${TOP_NAMES.join(", ")}.` : `Did you mean precis ${close}?`;
  return new UsageError(`there is no command ${name}. ${hint}`);
}

const FAILED = 1;
const BAD_USAGE = 2;
/** What a shell reports for a program that Ctrl-C ended. */
const INTERRUPTED = 130;

/** The error whose message says all that a person needs, by its name: `@precis/eval` may come with a copy of its class. */
const FOR_PEOPLE = "FileError";
/** Messages of the library and of a server say already who speaks. */
const OWN_NAME = /^precis: /;
const OPTION = /^precis: option `\w+`: /;

/** Tells a person about an error, and returns the exit code. */
export function explainFailure(error: unknown, args: readonly string[], io: Io): number {
  // A progress bar may still stand on the line.
  if (io.stderr.isTTY === true) io.stderr.write("\r\u001b[K");
  if (io.signal.aborted) {
    io.stderr.write("precis: interrupted\n");
    return INTERRUPTED;
  }
  if (isAboutUsage(error)) {
    io.stderr.write(`precis: ${error.message.replace(OWN_NAME, "")}\nSee ${helpFor(args)}.\n`);
    return BAD_USAGE;
  }
  io.stderr.write(`precis: ${textOf(error).replace(OWN_NAME, "")}\n`);
  return FAILED;
}

/** Is the command line wrong? A `SettingError` may also be about a variable. */
function isAboutUsage(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const isFlag = "setting" in error && String(error.setting).startsWith("--");
  return isFlag || error.name === UsageError.name;
}

function helpFor([first = "", second]: readonly string[]): string {
  const known = [`${first} ${second}`, first].find(
    (name) => Object.hasOwn(COMMANDS, name) || Object.hasOwn(GROUPS, name),
  );
  return known === undefined ? "precis --help" : `precis ${known} --help`;
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Of a server: an `ApiFailure`.
  if ("trouble" in error) return Object.values(error.trouble as object).join(" ");
  // Whoever typed a command knows flags, not the options behind them.
  if (PrecisError.isInstance(error) && error.fix.includes("--")) return error.message.replace(OPTION, "");
  return PrecisError.isInstance(error) || error.name === FOR_PEOPLE
    ? error.message
    : (error.stack ?? error.message);
}
