import type { Message, ToolResultPart } from "../core/types.ts";
import { baseName } from "./ledger.ts";
import { markPlant, plantIn } from "./plants.ts";
import { readCall } from "./read-call.ts";
import { type CommandText, cut, readCommand } from "./read-command.ts";
import { type CommandOutput, readOutput, toolSaysFailed } from "./read-output.ts";
import { headName } from "./sections.ts";
import {
  isEcho,
  outputSaysFailed,
  passedCount,
  saysPassed,
  tellingLines,
  withoutFigures,
} from "./telling-lines.ts";

/** How a command ended the last time. */
export interface Outcome {
  /** Message of the result. */
  readonly message: number;
  /** Name of the tool. */
  readonly tool: string;
  /** `make test → 2 failed`; of what passed or is done only the command, because several of them share a line. */
  readonly text: string;
  readonly ended: "failed" | "passed" | "done" | "said";
  /** How much it tells. */
  readonly factor: number;
}

/** Longer lines of results are cut (characters). */
const MAX_LINE = 150;
/** A short result is shown whole (characters). */
const SHORT_RESULT = 200;
/** A long result that says neither that it passed nor that it failed was for reading (characters). */
const READING = 1_500;
/** Longer names of commands that didn't fail are cut (characters). */
const MAX_NAME = 70;

const FACTORS = { failed: 1, check: 0.9, passed: 0.6, said: 0.6, done: 0.5, lookup: 0.2 } as const;

type Ended = Pick<Outcome, "text" | "ended" | "factor">;

interface Run {
  readonly message: number;
  readonly part: ToolResultPart;
}

/** All runs of one command, of which the last two matter. */
interface Runs {
  readonly command: CommandText;
  readonly tool: string;
  last: Run;
  before: Run | undefined;
}

/** How commands ended whose last results are hidden, in order. What a later run of the same steps has replaced isn't told. */
export function outcomesOf(messages: readonly Message[], isHidden: (index: number) => boolean): Outcome[] {
  const { all, timesRun, honest } = runsOf(messages);
  const newest = new Map<string, number>();
  for (const { command, last } of all)
    for (const { key } of command.steps) newest.set(key, Math.max(newest.get(key) ?? 0, last.message));
  const byKey = new Map(all.map((runs) => [runs.command.key, runs]));
  const beginnings = new Map<string, string | undefined>();
  /** What a command prints first where it is run alone. Many lines may end with the same command. */
  const beginningOf = (key: string): string | undefined => {
    const alone = byKey.get(key)?.last;
    if (alone !== undefined && !beginnings.has(key)) beginnings.set(key, readOutput(alone.part).lines[0]);
    return beginnings.get(key);
  };
  return all
    .flatMap(({ command, tool, last, before }): Outcome[] => {
      if (!isHidden(last.message)) return [];
      const current = command.steps.filter(({ key }) => newest.get(key) === last.message);
      if (current.length === 0) return [];
      const output = readOutput(last.part);
      const hasFailed = failed(command, last.part, output, honest.has(tool));
      const lastStep = command.steps.at(-1)!;
      if (hasFailed && !current.includes(lastStep) && hasBegun(output, beginningOf(lastStep.key))) return [];
      const known = { message: last.message, tool };
      if (hasFailed) return failure(command, output, before).map((found) => ({ ...known, ...found }));
      if (command.isLookup) return [];
      const name = current
        .filter(({ isLookup }) => !isLookup)
        .map((step) => step.name)
        .join(" && ");
      const isRepeated = current.some(({ key }) => timesRun.get(key)! > 1);
      return success(name, output, isRepeated).map((found) => ({ ...known, ...found }));
    })
    .sort((a, b) => a.message - b.message);
}

function runsOf(messages: readonly Message[]): {
  readonly all: Runs[];
  readonly timesRun: ReadonlyMap<string, number>;
  /** Tools that say where a command failed: where they don't, it passed. */
  readonly honest: ReadonlySet<string>;
} {
  const calls = new Map<string, { readonly tool: string; readonly command: CommandText }>();
  const all = new Map<string, Runs>();
  const timesRun = new Map<string, number>();
  const honest = new Set<string>();
  messages.forEach((message, index) => {
    for (const part of message.parts) {
      if (part.type === "tool-call") {
        const { kind, command } = readCall(part);
        if (kind === "command" && command !== undefined)
          calls.set(part.id, { tool: headName(part.name, "tool") || "tool", command: readCommand(command) });
      } else if (part.type === "tool-result") {
        const call = calls.get(part.id);
        if (call === undefined) continue;
        if (toolSaysFailed(part)) honest.add(call.tool);
        for (const { key } of call.command.steps) timesRun.set(key, (timesRun.get(key) ?? 0) + 1);
        const last = { message: index, part };
        const runs = all.get(call.command.key);
        if (runs === undefined) all.set(call.command.key, { ...call, last, before: undefined });
        else {
          runs.before = runs.last;
          runs.last = last;
        }
      }
    }
  });
  return { all: [...all.values()], timesRun, honest };
}

function failed(
  { isLookup, hidesStatus }: CommandText,
  { error }: ToolResultPart,
  { lines, status }: CommandOutput,
  isHonest: boolean,
): boolean {
  const isSaid = error === true || (status ?? 0) !== 0;
  // A search that finds nothing ends with a status, too, and what a file says about errors is no error.
  if (isLookup) return isSaid && outputSaysFailed(lines);
  if (isSaid) return true;
  const isTrusted = !hidesStatus && (isHonest || error === false || status === 0);
  return !isTrusted && outputSaysFailed(lines);
}

/** Is a command's beginning in an output? Then `&&` had come so far, and what failed was this command. */
function hasBegun({ lines }: CommandOutput, beginning: string | undefined): boolean {
  return beginning !== undefined && lines.includes(beginning);
}

function failure(
  { name, isLookup, isPiped }: CommandText,
  { lines, status }: CommandOutput,
  before: Run | undefined,
): Ended[] {
  const known = new Set(before === undefined ? [] : readOutput(before.part).lines.map(withoutFigures));
  const { shown, more } = tellingLines(lines, known);
  // A search at the end of a pipe says by its status alone that it found nothing.
  if (shown.length === 0 && isPiped) return [];
  const end = shown.length === 0 ? `failed${status === undefined ? "" : ` (${status})`}` : quoted(shown);
  const said = `${name} → ${end}${more > 0 ? ` (+${more} more)` : ""}`;
  return [
    {
      text: isPlanted(lines, shown) ? markPlant(said) : said,
      ended: "failed",
      factor: isLookup ? FACTORS.lookup : FACTORS.failed,
    },
  ];
}

function success(name: string, { lines, length }: CommandOutput, isRepeated: boolean): Ended[] {
  if (name === "") return [];
  const told = lines.filter((line) => !isEcho(line));
  const isPassed = lines.some(saysPassed);
  if (!isPassed && told.length > 0 && length <= SHORT_RESULT) {
    const said = `${shortName(name)} → ${cut(told.join(" … "), MAX_LINE)}`;
    return [{ text: isPlanted(lines, told) ? markPlant(said) : said, ended: "said", factor: FACTORS.said }];
  }
  if (isPassed || isRepeated) {
    const count = passedCount(lines);
    const text = count === undefined ? shortName(name) : `${shortName(name)} (${count})`;
    return [{ text, ended: "passed", factor: isRepeated ? FACTORS.check : FACTORS.passed }];
  }
  if (told.length > 0 && length > READING) return [];
  return [{ text: shortName(name), ended: "done", factor: FACTORS.done }];
}

/** Files far from the folder of the work are named without their place. */
function shortName(name: string): string {
  return cut(name.replace(/(?<=^|\s|["'])(?:[A-Za-z]:\\|[~/])[^\s"'*]{20,}/g, baseName), MAX_NAME);
}

function quoted(lines: readonly string[]): string {
  return lines.map((line) => cut(line, MAX_LINE)).join(" … ");
}

/** An instruction may be broken over two lines, of which only one is shown. */
function isPlanted(lines: readonly string[], shown: readonly string[]): boolean {
  return (
    plantIn(shown.join(" ")) !== undefined ||
    lines.some(
      (line, at) =>
        (shown.includes(line) || shown.includes(lines[at + 1] ?? "")) &&
        plantIn(`${line} ${lines[at + 1] ?? ""}`) !== undefined,
    )
  );
}
