import type { Readable } from "node:stream";

/** Where a command's output goes. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Everything of the outside world that a command may touch beside files; handed in, so that tests can. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  /** The environment: only NO_COLOR, FORCE_COLOR, TERM and COLUMNS are read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C and by SIGTERM. */
  readonly signal: AbortSignal;
  /** Aborted by Ctrl-C alone: somebody waits for the end. */
  readonly interrupted?: AbortSignal;
  /** Calls `end` when the terminal goes away, instead of ending at once; returns how to stop listening. */
  onHangUp?(end: () => void): () => void;
  /** From now on Ctrl-C ends the process at once: for a long calculation that can't hear `signal`, with nothing left half done. */
  letGo?(): void;
}

/** Columns of an output that doesn't tell. */
const DEFAULT_COLUMNS = 80;
const MIN_COLUMNS = 24;

export function columnsOf(output: Output, env: Io["env"]): number {
  const columns = output.columns ?? Number(env["COLUMNS"]);
  return Number.isFinite(columns) && columns > 0 ? Math.max(MIN_COLUMNS, columns) : DEFAULT_COLUMNS;
}

/** Colours only on a terminal, and never where NO_COLOR is set (https://no-color.org). */
export function hasColor(output: Output, env: Io["env"]): boolean {
  if (env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "") return false;
  if (env["FORCE_COLOR"] !== undefined && env["FORCE_COLOR"] !== "0") return true;
  return output.isTTY === true && env["TERM"] !== "dumb";
}

/** Waits until a signal ends something. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

/** Waits for something, but not beyond the signal: undefined if that comes first. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  // Nobody waits for it any more, so nobody would hear that it failed.
  work.catch(() => {});
  return Promise.race([work, aborted(signal).then(() => undefined)]);
}

/** Something that a person should know, though everything goes on. */
export function warnOn({ stderr }: Pick<Io, "stderr">): (text: string) => void {
  return (text) => stderr.write(`precis: warning: ${text}\n`);
}
