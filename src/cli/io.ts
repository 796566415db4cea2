import type { Readable } from "node:stream";
import { stripVTControlCharacters } from "node:util";

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
function hasColor(output: Output, env: Io["env"]): boolean {
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

/** Names what a colour means, so that the same meaning has the same colour everywhere. */
export type Tone = "good" | "warn" | "bad" | "accent" | "dim" | "strong";

const CODES: Readonly<Record<Tone, readonly [number, number]>> = {
  good: [32, 39],
  warn: [33, 39],
  bad: [31, 39],
  accent: [36, 39],
  dim: [2, 22],
  strong: [1, 22],
};

export type Paint = (tone: Tone, text: string) => string;

/** Paints for a terminal, or leaves the text as it is. */
export const createPaint = (color: boolean): Paint =>
  color ? (tone, text) => `\u001b[${CODES[tone][0]}m${text}\u001b[${CODES[tone][1]}m` : (_, text) => text;

/** How an output looks: how wide it is, and in which colours. */
export interface Look {
  readonly columns: number;
  readonly paint: Paint;
}

export const lookOf = (output: Output, env: Io["env"]): Look => ({
  columns: columnsOf(output, env),
  paint: createPaint(hasColor(output, env)),
});

/** Breaks a text at spaces; `hang` indents every line but the first. Colours have no width. */
export function wrap(text: string, width: number, hang = 0): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && lengthOf(line) + 1 + lengthOf(word) > width) {
      lines.push(line);
      line = `${" ".repeat(hang)}${word}`;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

const lengthOf = (text: string): number => stripVTControlCharacters(text).length;

/** Reports how far a long step is. */
export interface Progress {
  /** `done` of `total`; a total of 0 is unknown. */
  update(label: string, done: number, total: number): void;
  /** Removes the bar, so that what follows starts on a clean line. */
  clear(): void;
}

/** Redrawing more often than this is wasted. */
const REDRAW_MS = 80;
/** Without a terminal a line is written at most this often, and none for steps that are shorter. */
const PLAIN_MS = 5_000;
const BAR_WIDTH = 24;

/** A bar on a terminal, now and then a plain line elsewhere, nothing at all when the output is for programs. */
export function createProgress(io: Io, options: { json: boolean; now?: () => number }): Progress {
  const now = options.now ?? Date.now;
  const tty = io.stderr.isTTY === true;
  if (options.json && !tty) return { update: () => {}, clear: () => {} };
  let last = now();
  let drawn = false;
  return {
    update(label, done, total) {
      const time = now();
      if (time - last < (tty ? REDRAW_MS : PLAIN_MS)) return;
      last = time;
      const share = total > 0 ? Math.min(1, done / total) : undefined;
      const percent = share === undefined ? "" : ` ${Math.round(share * 100)} %`;
      if (!tty) {
        io.stderr.write(`${label}${percent}\n`);
        return;
      }
      const room = columnsOf(io.stderr, io.env) - label.length - percent.length - 4;
      const width = Math.max(0, Math.min(BAR_WIDTH, room));
      const filled = Math.round((share ?? 0) * width);
      const bar = share === undefined ? "" : ` ${"█".repeat(filled)}${"░".repeat(width - filled)}`;
      io.stderr.write(`\r\u001b[K${label}${bar}${percent}`);
      drawn = true;
    },
    clear() {
      if (drawn) io.stderr.write("\r\u001b[K");
      drawn = false;
    },
  };
}

/** Oldest Node that has everything, as in the package's `engines`. */
export const OLDEST_NODE = [22, 13] as const;

export function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const [needMajor, needMinor] = OLDEST_NODE;
  return major < needMajor || (major === needMajor && minor < needMinor);
}

/** What to tell the user of a Node that is too old; undefined for one that isn't. */
export function oldNode(version: string): string | undefined {
  if (!isTooOld(version)) return undefined;
  return `this needs Node ${OLDEST_NODE.join(".")} or later, and this is ${version}. Install a newer Node, then try again.`;
}
