import type { COMMANDS, CommandName } from "./commands.ts";
import type { Flags, Options } from "./flags.ts";
import { createProgress, type Io, type Look, lookOf, type Progress } from "./io.ts";

/** A command that runs: what it was given, and the ways in which it speaks. */
export interface Run<F extends Flags = Flags> {
  readonly io: Io;
  /** What isn't a flag. The table says how many there may be. */
  readonly args: readonly string[];
  readonly options: Options<F>;
  readonly progress: Progress;
  /** How stdout looks. */
  readonly look: Look;
  /** The result on stdout: the value as JSON with `--json`, else the text. */
  print(value: unknown, text: () => string): void;
  /** A line on stderr. */
  note(text: string): void;
}
export type RunOf<N extends CommandName> = Run<(typeof COMMANDS)[N]["flags"]>;

export function createRun(io: Io, args: readonly string[], options: Options<Flags>): Run {
  const json = "json" in options;
  return {
    io,
    args,
    options,
    progress: createProgress(io, { json }),
    look: lookOf(io.stdout, io.env),
    print(value, text) {
      io.stdout.write(json ? `${JSON.stringify(value)}\n` : text());
    },
    note: (text) => io.stderr.write(`precis: ${text}\n`),
  };
}
