import type { CommandName } from "./commands.ts";
import { columnsOf, type Io, oldNode } from "./io.ts";
import type { Run, RunOf } from "./run.ts";

/** Each command is loaded when it is called: a server takes long to load. It may resolve to an exit code of its own. */
const RUNS: { readonly [N in CommandName]: () => Promise<(run: RunOf<N>) => Promise<unknown>> } = {
  compact: () => import("./compact.ts").then((it) => it.compact),
  summarize: () => import("./write-text.ts").then((it) => it.summarize),
  handover: () => import("./write-text.ts").then((it) => it.handover),
  replay: () => import("./replay.ts").then((it) => it.replay),
  stream: () => import("./stream.ts").then((it) => it.stream),
  serve: () => import("./serve.ts").then((it) => it.serve),
  launch: () => import("./launch.ts").then((it) => it.launch),
  chat: () => import("./chat.ts").then((it) => it.chat),
  inspect: () => import("./inspect.ts").then((it) => it.inspect),
  recall: () => import("./recall.ts").then((it) => it.recall),
  mcp: () => import("./mcp.ts").then((it) => it.mcp),
  import: () => import("./import.ts").then((it) => it.importAll),
  "db status": () => import("./db.ts").then((it) => it.status),
  "db backup": () => import("./db.ts").then((it) => it.backup),
  "db export": () => import("./db.ts").then((it) => it.exportAll),
  "db import": () => import("./db.ts").then((it) => it.importAll),
  "db sweep": () => import("./db.ts").then((it) => it.sweep),
  "db vacuum": () => import("./db.ts").then((it) => it.vacuum),
  doctor: () => import("./doctor.ts").then((it) => it.doctor),
  "eval retention": () => evaluation().then((it) => it.retention),
  "eval cost": () => evaluation().then((it) => it.cost),
  "eval rules": () => evaluation().then((it) => it.rules),
  "eval judged": () => evaluation().then((it) => it.judged),
  "eval exam": () => evaluation().then((it) => it.exam),
};

/** In the sources it stands beside the other commands; as packages, it is one of its own. */
const evaluation = () =>
  import("./eval.ts").catch(async (error: NodeJS.ErrnoException): Promise<never> => {
    if (error.code !== "ERR_MODULE_NOT_FOUND" || !error.message.includes("@precis/eval")) throw error;
    const { UsageError } = await import("./flags.ts");
    throw new UsageError(
      "eval needs the package @precis/eval. Install it next to @precis/gateway: npm install @precis/eval (with --global if the gateway is global). In a clone, use `npx precis eval`.",
    );
  });

/** The command that says itself what is wrong with an old Node. */
const DOCTOR = "doctor";

const OK = 0;
const FAILED = 1;
const BAD_USAGE = 2;

/** Runs one command line, says what went wrong, and returns the exit code. */
export async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  try {
    return await run(args, io);
  } catch (error) {
    const { explainFailure } = await import("./parse-command.ts");
    return explainFailure(error, args, io);
  }
}

async function run(args: readonly string[], io: Io): Promise<number> {
  const [first] = args;
  if (first === "--version" || first === "-v") {
    const { version } = await import("../config/version.ts");
    io.stdout.write(`${version()}\n`);
    return OK;
  }
  const help = async (about: string | undefined, output = io.stdout): Promise<number> => {
    const { helpAbout } = await import("./help.ts");
    output.write(helpAbout(about, columnsOf(output, io.env)));
    return output === io.stdout ? OK : BAD_USAGE;
  };
  if (first === undefined) return help(undefined, io.stderr);
  if (first === "--help" || first === "-h") return help(undefined);
  const { parseCommand } = await import("./parse-command.ts");
  if (first === "help") {
    if (args.length === 1) return help(undefined);
    const asked = parseCommand([...args.slice(1), "--help"]);
    return help(asked.is === "help" ? asked.about : undefined);
  }
  const parsed = parseCommand(args);
  if (parsed.is === "help") return help(parsed.about);
  const old = parsed.name === DOCTOR ? undefined : oldNode(process.version);
  if (old !== undefined) {
    io.stderr.write(`precis: ${old}\n`);
    return FAILED;
  }
  const [{ createRun }, command] = await Promise.all([
    import("./run.ts"),
    RUNS[parsed.name]() as Promise<(run: Run) => Promise<unknown>>,
  ]);
  const code = await command(createRun(io, parsed.args, parsed.options));
  return typeof code === "number" ? code : OK;
}
