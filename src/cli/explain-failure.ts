import { SettingError } from "../config/setting-error.ts";
import { PrecisError } from "../core/errors.ts";
import { ApiFailure } from "../gateway/api/client.ts";
import type { Io } from "./io.ts";

const FAILED = 1;
const BAD_USAGE = 2;
/** What a shell reports for a program that Ctrl-C ended. */
const INTERRUPTED = 130;

const USAGE = "UsageError";
/** Errors whose message says all that a person needs, by name: `@precis/eval` may come with a copy of these classes. */
const FOR_PEOPLE: readonly string[] = ["FileError", "TurnError"];
/** Messages of the library and of a server say already who speaks. */
const OWN_NAME = /^precis: /;

/** Tells a person about an error, and returns the exit code. */
export function explainFailure(
  error: unknown,
  { command, io }: { readonly command: string | undefined; readonly io: Io },
): number {
  // A progress bar may still stand on the line.
  if (io.stderr.isTTY === true) io.stderr.write("\r\u001b[K");
  if (io.signal.aborted) {
    io.stderr.write("precis: interrupted\n");
    return INTERRUPTED;
  }
  const isFlag = error instanceof SettingError && error.setting.startsWith("--");
  if (isFlag || (error instanceof Error && error.name === USAGE)) {
    const help = command === undefined ? "precis --help" : `precis ${command} --help`;
    io.stderr.write(`precis: ${error.message.replace(OWN_NAME, "")}\nSee ${help}.\n`);
    return BAD_USAGE;
  }
  io.stderr.write(`precis: ${textOf(error).replace(OWN_NAME, "")}\n`);
  return FAILED;
}

function textOf(error: unknown): string {
  if (error instanceof ApiFailure) return Object.values(error.trouble).join(" ");
  if (!(error instanceof Error)) return String(error);
  return PrecisError.isInstance(error) || FOR_PEOPLE.includes(error.name)
    ? error.message
    : (error.stack ?? error.message);
}
