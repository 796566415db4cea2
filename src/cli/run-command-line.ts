import { oldNode } from "./check-node.ts";
import { columnsOf, type Io } from "./io.ts";
import type { CommandLine, ParsedFlags } from "./parse-flags.ts";

interface Command {
  readonly line: CommandLine;
  /** What to install first: the command is of a package that isn't there. */
  readonly missing?: string;
  /** May resolve to an exit code of its own. */
  run(flags: ParsedFlags, io: Io): Promise<unknown>;
}

/** The commands. A new one is added here. Each is loaded when it is called: a server takes long to load. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  compact: () => import("./compact.ts").then((it) => ({ line: it.compactLine, run: it.compactCommand })),
  summarize: () =>
    import("./summarize.ts").then((it) => ({ line: it.summarizeLine, run: it.summarizeCommand })),
  handover: () => import("./handover.ts").then((it) => ({ line: it.handoverLine, run: it.handoverCommand })),
  replay: () => import("./replay.ts").then((it) => ({ line: it.replayLine, run: it.replayCommand })),
  stream: () => import("./stream.ts").then((it) => ({ line: it.streamLine, run: it.streamCommand })),
  eval: () =>
    import("./eval.ts").then((it) => ({ line: it.evalLine, run: it.evalCommand }), withoutEvaluation),
  serve: () => import("./serve.ts").then((it) => ({ line: it.serveLine, run: it.serveCommand })),
  launch: () => import("./launch.ts").then((it) => ({ line: it.launchLine, run: it.launchCommand })),
  chat: () => import("./chat.ts").then((it) => ({ line: it.chatLine, run: it.chatCommand })),
  inspect: () => import("./inspect.ts").then((it) => ({ line: it.inspectLine, run: it.inspectCommand })),
  recall: () => import("./recall.ts").then((it) => ({ line: it.recallLine, run: it.recallCommand })),
  mcp: () => import("./mcp.ts").then((it) => ({ line: it.mcpLine, run: it.mcpCommand })),
  import: () => import("./import.ts").then((it) => ({ line: it.importLine, run: it.importCommand })),
  db: () => import("./db.ts").then((it) => ({ line: it.dbLine, run: it.dbCommand })),
  doctor: () => import("./doctor.ts").then((it) => ({ line: it.doctorLine, run: it.doctorCommand })),
};

/** The command that says itself what is wrong with an old Node. */
const DOCTOR = "doctor";

const OK = 0;
const FAILED = 1;
const BAD_USAGE = 2;

/** Runs one command line, tells people what went wrong, and returns the exit code. */
export async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  try {
    return await run(args, io);
  } catch (error) {
    const { explainFailure } = await import("./explain-failure.ts");
    return explainFailure(error, { command: loaderOf(args[0]) && args[0], io });
  }
}

async function run(args: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = args;
  const columns = columnsOf(io.stdout, io.env);
  if (name === "--version" || name === "-v") {
    const { version } = await import("../config/version.ts");
    io.stdout.write(`${version()}\n`);
    return OK;
  }
  if (name === "--help" || name === "-h" || name === "help") {
    io.stdout.write(await helpAbout(rest[0], columns));
    return OK;
  }
  if (name === undefined) {
    io.stderr.write(await helpAbout(undefined, columnsOf(io.stderr, io.env)));
    return BAD_USAGE;
  }
  const load = loaderOf(name);
  if (load === undefined) throw await unknownCommand(name);
  const [command, { parseFlags, UsageError }] = await Promise.all([load(), import("./parse-flags.ts")]);
  const asksForHelp = rest.includes("--help") || rest.includes("-h");
  if (command.missing !== undefined && !asksForHelp) throw new UsageError(command.missing);
  const flags = parseFlags(command.line, rest);
  if (flags.has("help")) {
    io.stdout.write(await helpAbout(name, columns));
    return OK;
  }
  const old = name === DOCTOR ? undefined : oldNode(process.version);
  if (old !== undefined) {
    io.stderr.write(`precis: ${old}\n`);
    return FAILED;
  }
  const code = await command.run(flags, io);
  return typeof code === "number" ? code : OK;
}

const HOW_TO_GET_EVAL =
  "eval is in the package @precis/eval, which isn't installed. Install it where @precis/gateway is: npm install @precis/eval, with --global if that is.";

/** In the sources it stands beside the other commands; as packages, it is one of its own. */
function withoutEvaluation(error: NodeJS.ErrnoException): Command {
  if (error.code !== "ERR_MODULE_NOT_FOUND" || !error.message.includes("@precis/eval")) throw error;
  return {
    line: {
      name: "eval",
      summary: "Measures what compacted conversations still know and what they cost (package @precis/eval).",
      usage: "precis eval MEASUREMENT [flags]",
      flags: {},
      notes: [HOW_TO_GET_EVAL],
      examples: ["npm install --global @precis/eval && precis eval --help"],
    },
    missing: HOW_TO_GET_EVAL,
    run: async () => {},
  };
}

/** A command called `constructor` must not find the object's own methods. */
function loaderOf(name: string | undefined): (() => Promise<Command>) | undefined {
  return name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}

async function helpAbout(name: string | undefined, columns: number): Promise<string> {
  const { commandHelp, mainHelp } = await import("./help.ts");
  const load = loaderOf(name);
  if (load !== undefined) return commandHelp((await load()).line, columns);
  const commands = await Promise.all(Object.values(COMMANDS).map((one) => one()));
  return mainHelp(
    commands.map(({ line }) => line),
    columns,
  );
}

async function unknownCommand(name: string): Promise<Error> {
  const [{ nearest }, { UsageError }] = await Promise.all([
    import("../core/nearest.ts"),
    import("./parse-flags.ts"),
  ]);
  const names = Object.keys(COMMANDS);
  const close = nearest(name, names);
  const hint =
    close === undefined ? `The commands are ${names.join(", ")}.` : `Did you mean precis ${close}?`;
  return new UsageError(`there is no command ${name}. ${hint}`);
}
