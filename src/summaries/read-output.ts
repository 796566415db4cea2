import type { ToolResultPart } from "../core/types.ts";
import { withoutTagged } from "./tagged.ts";

/** What a command printed. */
export interface CommandOutput {
  /** Its lines, without blank ones and without what the tool says about the run. */
  readonly lines: readonly string[];
  /** Characters of these lines. */
  readonly length: number;
  /** The exit code, where the tool or the command says it. */
  readonly status: number | undefined;
}

/** Of a longer output the beginning and the end are read, so many characters each. */
const MAX_END = 50_000;
/** Of a longer line the beginning is read (characters). */
const MAX_LINE = 400;
/** Lines at the beginning and at the end in which tools say how a command ended. */
const HEAD = 8;
const FOOT = 4;
/** `Exit code 1`, `Process exited with code 0`, `[The command completed with exit code 0.]`, `exit: 1`. */
const STATUS =
  /\b(?:exit(?:ed)?|return(?:ed)?)\b(?: with)?(?:[ _-]?(?:code|status|value))?[\s:=]{1,3}(-?\d{1,10})\W{0,3}$/i;
const BY_THE_TOOL = /^\W{0,3}(?:the )?(?:command|process)\b/i;
const MAX_STATUS_LINE = 160;
/** Behind this line stands what the command printed; what is before it, the tool said. */
const OUTPUT_TITLE = /^(?:output|stdout):$/i;
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[\\d;?]{0,20}[A-Za-z]`, "g");

/** Reads a result as what a command printed, and how it ended if that is said. */
export function readOutput({ text }: Pick<ToolResultPart, "text">): CommandOutput {
  const all = withoutTagged(bothEnds(text), (name) => name === "system-reminder")
    .replace(COLOURS, "")
    .split("\n")
    .map((line) => line.trim().slice(0, MAX_LINE).toWellFormed())
    .filter((line) => line !== "");
  const title = all.slice(0, HEAD).findIndex((line) => OUTPUT_TITLE.test(line));
  let status: number | undefined;
  const lines = all.filter((line, at) => {
    const said = at < HEAD || at >= all.length - FOOT ? statusIn(line) : undefined;
    if (said !== undefined) status = status === undefined || status === 0 ? said : status;
    return said === undefined && at > title;
  });
  return { lines, length: lines.reduce((sum, line) => sum + line.length, 0), status };
}

/** Does the tool itself, not the program that it ran, say that the command failed? */
export function toolSaysFailed({ text, error }: Pick<ToolResultPart, "text" | "error">): boolean {
  if (error === true) return true;
  const first = text.slice(0, MAX_STATUS_LINE).trimStart().split("\n", 1)[0] ?? "";
  const last = text.slice(-MAX_STATUS_LINE).trimEnd().split("\n").at(-1) ?? "";
  return (statusIn(first) ?? 0) !== 0 || (BY_THE_TOOL.test(last) && (statusIn(last) ?? 0) !== 0);
}

/** The exit code that a line says, if it says one. */
function statusIn(line: string): number | undefined {
  const said = line.length <= MAX_STATUS_LINE ? STATUS.exec(line)?.[1] : undefined;
  return said === undefined ? undefined : Number(said);
}

function bothEnds(text: string): string {
  return text.length <= 2 * MAX_END ? text : `${text.slice(0, MAX_END)}\n${text.slice(-MAX_END)}`;
}
