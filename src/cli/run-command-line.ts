import { createRequire } from "node:module";
import { SettingError } from "../config/setting-error.ts";
import { PrecisError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import { ApiFailure } from "./chat/api-client.ts";
import { TurnError } from "./chat/run-lines.ts";
import { chatCommand, chatLine } from "./chat.ts";
import { oldNode } from "./check-node.ts";
import { compactCommand, compactLine } from "./compact.ts";
import { dbCommand, dbLine } from "./db.ts";
import { doctorCommand, doctorLine } from "./doctor.ts";
import { evalCommand, evalLine } from "./eval.ts";
import { commandHelp, mainHelp } from "./help.ts";
import { inspectCommand, inspectLine } from "./inspect.ts";
import { columnsOf, type Io } from "./io.ts";
import { type CommandLine, type ParsedFlags, parseFlags } from "./parse-flags.ts";
import { FileError } from "./read-lines.ts";
import { replayCommand, replayLine } from "./replay.ts";
import { serveCommand, serveLine } from "./serve.ts";
import { streamCommand, streamLine } from "./stream.ts";
import { summarizeCommand, summarizeLine } from "./summarize.ts";
import { UsageError } from "./usage-error.ts";

interface Command {
  readonly line: CommandLine;
  run(flags: ParsedFlags, io: Io): Promise<void>;
}

/** The commands. A new one is added here. */
const COMMANDS: readonly Command[] = [
  { line: compactLine, run: compactCommand },
  { line: summarizeLine, run: summarizeCommand },
  { line: replayLine, run: replayCommand },
  { line: streamLine, run: streamCommand },
  { line: evalLine, run: evalCommand },
  { line: serveLine, run: serveCommand },
  { line: chatLine, run: chatCommand },
  { line: inspectLine, run: inspectCommand },
  { line: dbLine, run: dbCommand },
  { line: doctorLine, run: doctorCommand },
];

const OK = 0;
const FAILED = 1;
const BAD_USAGE = 2;
/** What a shell reports for a program that Ctrl-C ended. */
const INTERRUPTED = 130;

/** Runs one command line, tells people what went wrong, and returns the exit code. */
export async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  return run(args, io).catch((error: unknown) => fail(error, args, io));
}

async function run(args: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = args;
  const columns = columnsOf(io.stdout, io.env);
  const lines = COMMANDS.map((command) => command.line);
  if (name === "--version" || name === "-v") {
    io.stdout.write(`${version()}\n`);
    return OK;
  }
  if (name === "--help" || name === "-h" || name === "help") {
    const about = lines.find((line) => line.name === rest[0]);
    io.stdout.write(about === undefined ? mainHelp(lines, columns) : commandHelp(about, columns));
    return OK;
  }
  if (name === undefined) {
    io.stderr.write(mainHelp(lines, columnsOf(io.stderr, io.env)));
    return BAD_USAGE;
  }
  const command = COMMANDS.find((candidate) => candidate.line.name === name);
  if (command === undefined) throw unknownCommand(name, lines);
  const flags = parseFlags(command.line, rest);
  if (flags.has("help")) {
    io.stdout.write(commandHelp(command.line, columns));
    return OK;
  }
  const old = command.line === doctorLine ? undefined : oldNode(process.version);
  if (old !== undefined) {
    io.stderr.write(`precis: ${old}\n`);
    return FAILED;
  }
  await command.run(flags, io);
  return OK;
}

function unknownCommand(name: string, lines: readonly CommandLine[]): UsageError {
  const names = lines.map((line) => line.name);
  const close = nearest(name, names);
  const hint =
    close === undefined ? `The commands are ${names.join(", ")}.` : `Did you mean precis ${close}?`;
  return new UsageError(`there is no command ${name}. ${hint}`);
}

/** The same path from `src/cli` and from `dist/cli`. */
function version(): string {
  const manifest = createRequire(import.meta.url)("../../package.json") as { version: string };
  return manifest.version;
}

/** Messages of the library and of a server say already who speaks. */
const OWN_NAME = /^precis: /;

/** What a person is told about an error, and the exit code. */
function fail(error: unknown, args: readonly string[], io: Io): number {
  // A progress bar may still stand on the line.
  if (io.stderr.isTTY === true) io.stderr.write("\r\u001b[K");
  if (io.signal.aborted) {
    io.stderr.write("precis: interrupted\n");
    return INTERRUPTED;
  }
  const isFlag = error instanceof SettingError && error.setting.startsWith("--");
  if (isFlag || error instanceof UsageError) {
    const command = COMMANDS.find(({ line }) => line.name === args[0]);
    const help = command === undefined ? "precis --help" : `precis ${command.line.name} --help`;
    io.stderr.write(`precis: ${error.message.replace(OWN_NAME, "")}\nSee ${help}.\n`);
    return BAD_USAGE;
  }
  const isForPeople = [PrecisError, FileError, ApiFailure, TurnError].some((kind) => error instanceof kind);
  if (error instanceof Error && isForPeople)
    io.stderr.write(`precis: ${error.message.replace(OWN_NAME, "")}\n`);
  else
    io.stderr.write(`precis: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return FAILED;
}
