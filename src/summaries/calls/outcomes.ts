import { bothEnds, cutTo } from "../../core/first-characters.ts";
import { isNotice } from "../../core/message-text.ts";
import type { Message, ToolCallPart, ToolResultPart } from "../../core/types.ts";
import { fromBothEnds, type Piece, readPassage, saysSomething } from "../material/read-passage.ts";
import { isPlanted, markPlant, plantIn, withPlantMark } from "../text/plants.ts";
import { withoutTagged } from "../text/tagged.ts";
import { sourceName } from "../write/sections.ts";
import { readArguments, readCall } from "./read-call.ts";

/** How a command ended, or what another agent reported. */
export interface Outcome {
  /** Message of the result. */
  readonly message: number;
  /** Name of the tool. */
  readonly tool: string;
  /** `make test → 2 failed`. */
  readonly text: string;
  /** How much it tells. */
  readonly factor: number;
  /** Another agent's report, by its own words. */
  readonly isReport?: boolean;
}

/** Longer commands and lines of results are cut (characters). */
const MAX_COMMAND = 110;
const MAX_LINE = 150;
/** Of a short result all lines are shown (characters). */
const SHORT_RESULT = 160;
/** Lines that say what went wrong, beside the last one. */
const TROUBLES = 2;
/** A long result without trouble was for reading: its end says little (characters). */
const READING = 1_500;

const FACTORS = { report: 1, trouble: 1, fine: 0.6, reading: 0.1 } as const;
/** A command that was run again later: what counts is how it ended then. */
const SUPERSEDED = 0.3;

/** What a host's notice says of the work of another agent. */
const NOTICE_NAME = /<([a-z-]+)/;
const NOTICE_SUMMARY = /<summary>([^<]{0,400})<\/summary>/;
/** Words with which programs say that something went wrong. */
const TROUBLE =
  /\b(?:errors?|err|fail(?:ed|ure|ures|ing|s)?|panic(?:ked)?|exceptions?|traceback|fatal|cannot|undefined|denied|refused|not found|no such|unexpected|conflict|assert\w*|timed? ?out)\b|[✗✖✘❌]/i;
/** … and that nothing did. */
const NO_TROUBLE = /\b(?:0|no) (?:errors?|fail\w*|issues?|problems?|warnings?)\b/i;
/**
 * Where the output of a command goes, and where it is run, says nothing about what is run. Blanks are looked at from the first
 * one of a run only.
 */
const BY_THE_WAY = /^cd [^\n&;|]+(?:&&|;)\s*|(?<!\s)\s*(?:2>&1|\|\s*(?:head|tail)\b[^|]*$)/g;

/** Commands that show what stands somewhere: words of trouble in it are no trouble of theirs. */
const SHOWS = /^(?:cat|bat|less|head|tail|sed -n|nl|git (?:diff|show|blame))\b/;

/** The outcomes of commands whose results are hidden, in order. */
export function outcomesOf(messages: readonly Message[], isHidden: (index: number) => boolean): Outcome[] {
  const commands = new Map<string, { readonly tool: string; readonly command: string }>();
  const outcomes: (Outcome & { readonly command: string })[] = [];
  const delegated = new Map<string, Delegated>();
  const reports: Outcome[] = [];
  const newest = new Map<string, number>();
  messages.forEach((message, index) => {
    for (const part of message.parts) {
      if (part.type === "text" && isHidden(index) && isNotice(message)) {
        const [, asked = ""] = NOTICE_SUMMARY.exec(part.text) ?? [];
        const [, tool = ""] = NOTICE_NAME.exec(part.text) ?? [];
        const text = between(part.text, "<result>", "</result>") || between(part.text, ">", `</${tool}>`);
        const report = reportOf({ tool, asked: noticeHead(asked), isNotice: true }, text);
        if (report !== undefined) reports.push({ message: index, ...report });
      } else if (part.type === "tool-call") {
        const { kind, command } = readCall(part);
        const asked = askedInWords(part);
        const tool = sourceName(part.name, "tool");
        if (asked !== undefined) delegated.set(part.id, { tool, asked });
        if (kind === "command" && command !== undefined)
          commands.set(part.id, { tool, command: plainCommand(command) });
      } else if (part.type === "tool-result") {
        const report = isHidden(index) ? reportOf(delegated.get(part.id), part.text) : undefined;
        if (report !== undefined) reports.push({ message: index, ...report });
        const run = commands.get(part.id);
        if (run === undefined) continue;
        newest.set(run.command, index);
        if (isHidden(index)) outcomes.push({ message: index, ...run, ...endOf(run.command, part) });
      }
    }
  });
  const ends = outcomes.map(({ command, ...one }) => ({
    ...one,
    factor: newest.get(command) === one.message ? one.factor : one.factor * SUPERSEDED,
  }));
  return [...ends, ...reports];
}

/** What a notice is about, in one line; nothing where it tells the model what to do. */
function noticeHead(summary: string): string {
  return plantIn(summary) === undefined ? cutTo(summary.replace(/\s+/g, " ").trim(), MAX_COMMAND) : "";
}

function between(text: string, from: string, to: string): string {
  const start = text.indexOf(from);
  const end = text.lastIndexOf(to);
  return start < 0 || end < start ? "" : text.slice(start + from.length, end);
}

interface Delegated {
  readonly tool: string;
  readonly asked: string;
  readonly isNotice?: boolean;
}

function reportOf(call: Delegated | undefined, text: string): Omit<Outcome, "message"> | undefined {
  const report = call && (reportIn(text) ?? (call.isNotice ? shortMessage(text) : undefined));
  if (report === undefined) return undefined;
  return {
    tool: call!.tool,
    text: [call!.asked, report].filter((each) => each !== "").join(" → "),
    factor: FACTORS.report,
    isReport: true,
  };
}

function plainCommand(command: string): string {
  const [first = "", ...more] = command.replace(BY_THE_WAY, "").trim().split("\n");
  return cutTo(more.length > 0 ? `${first} …` : first, MAX_COMMAND);
}

function endOf(command: string, { text, error }: ToolResultPart): Pick<Outcome, "text" | "factor"> {
  const lines = withoutTagged(text, (name) => name === "system-reminder")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const length = lines.reduce((sum, line) => sum + line.length, 0);
  const wrong = SHOWS.test(command)
    ? []
    : lines.filter((line) => TROUBLE.test(line) && !NO_TROUBLE.test(line));
  const isTrouble = error === true || wrong.length > 0;
  const shown =
    length <= SHORT_RESULT ? lines : [...new Set([...wrong.slice(0, TROUBLES), ...lines.slice(-1)])];
  const end = shown.length === 0 ? "(no output)" : shown.map((line) => cutTo(line, MAX_LINE)).join(" … ");
  const said = `${command} → ${end}`;
  const isMarked =
    plantIn(shown.join(" ")) !== undefined ||
    lines.some((line, at) => shown.includes(line) && isPlanted(line, lines[at - 1], lines[at + 1]));
  return {
    text: isMarked ? markPlant(said) : said,
    factor: isTrouble ? FACTORS.trouble : length > READING ? FACTORS.reading : FACTORS.fine,
  };
}

/** A request in words has so many at the least, and an answer in words so many characters. */
const LEAST_ASKED = 20;
const LEAST_ANSWER = 200;
/** What is shown of an answer, of each statement in it, and of what was asked (characters). */
const MAX_REPORT = 300;
const MAX_STATEMENT = 160;
const MAX_ASKED = 80;
/** So much of a long answer is read at its beginning and at its end (characters). */
const EDGE = 20_000;
/** A sentence of fewer words says something only with a figure, a name or a verdict in capitals. */
const MIN_WORDS = 12;
/** The argument by which another agent is asked. */
const PROMPT_ARGUMENT = /^(?:prompt|instructions?|task|message|question|request|goal)$/i;
/** Under which name a host keeps the agent; it says so at the end. */
const OWN_ID = /^\w{0,40}id: /i;
const VERDICT = /\b[A-Z]{4,}\b/;
const ARGUMENT_NAME = /(^|\s)[a-z_]\w*=/gi;

/** What was asked of another agent in words, in short; undefined for any other call. */
function askedInWords(part: ToolCallPart): string | undefined {
  const { kind, head } = readCall(part);
  if (kind !== "other" || !hasPrompt(part.args)) return undefined;
  return cutTo(head.slice(part.name.length).replace(ARGUMENT_NAME, "$1").trim(), MAX_ASKED);
}

function hasPrompt(args: string): boolean {
  const value = readArguments(args);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).some(
    ([name, text]) =>
      PROMPT_ARGUMENT.test(name) &&
      typeof text === "string" &&
      text.split(/\s+/, LEAST_ASKED).length === LEAST_ASKED,
  );
}

/** What the report of another agent says first and last, with the titles above; undefined where the result isn't told in words. */
export function reportIn(text: string): string | undefined {
  if (text.length < LEAST_ANSWER) return undefined;
  const said = withoutOwnId(withoutTagged(bothEnds(text, EDGE), (name) => name === "usage").trimEnd());
  const pieces = readPassage(said, true).filter(
    (piece) => piece.kind !== "code" && (VERDICT.test(piece.text) || saysSomething(piece, MIN_WORDS)),
  );
  if (pieces.length < 2) return undefined;
  const shown = new Set<Piece>();
  let left = MAX_REPORT;
  for (const piece of fromBothEnds(pieces)) {
    left -= Math.min(piece.text.length, MAX_STATEMENT);
    if (left < 0 && shown.size > 0) break;
    shown.add(piece);
  }
  let lead = "";
  const outcome = pieces
    .filter((piece) => shown.has(piece))
    .map((piece) => {
      const title = piece.lead === lead ? "" : (piece.lead.split("\n").at(-1) ?? "");
      lead = piece.lead;
      return cutTo([title, piece.text].filter((each) => each !== "").join(" "), MAX_STATEMENT);
    })
    .join(" … ");
  return plantIn(said) === undefined ? outcome : markPlant(outcome);
}

/** A message of another agent that is short enough to be told as it is; undefined for any other text. */
function shortMessage(text: string): string | undefined {
  if (text.length > 2 * MAX_REPORT || text.includes("<")) return undefined;
  const line = text.replace(/\s+/g, " ").trim();
  if (line === "" || line.length > MAX_REPORT) return undefined;
  return withPlantMark(line);
}

function withoutOwnId(text: string): string {
  const last = text.lastIndexOf("\n") + 1;
  return OWN_ID.test(text.slice(last, last + 60)) ? text.slice(0, last) : text;
}
