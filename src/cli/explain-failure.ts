import { PrecisError } from "../core/errors.ts";
import { COMMANDS, GROUPS } from "./commands.ts";
import { UsageError } from "./flags.ts";
import type { Io } from "./io.ts";

const FAILED = 1;
const BAD_USAGE = 2;
/** What a shell reports for a program that Ctrl-C ended. */
const INTERRUPTED = 130;

/** Errors whose message says all that a person needs, by name: `@precis/eval` may come with a copy of these classes. */
const FOR_PEOPLE: readonly string[] = ["FileError", "TurnError"];
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
  return PrecisError.isInstance(error) || FOR_PEOPLE.includes(error.name)
    ? error.message
    : (error.stack ?? error.message);
}
