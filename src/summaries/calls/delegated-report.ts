import { cutTo, firstCharacters, lastCharacters } from "../../core/first-characters.ts";
import type { ToolCallPart } from "../../core/types.ts";
import { type Piece, readPassage, SPECIFIC } from "../material/read-passage.ts";
import { markPlant, plantIn, withPlantMark } from "../plants.ts";
import { readArguments, readCall } from "../read-call.ts";
import { withoutTagged } from "../tagged.ts";

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
export function askedInWords(part: ToolCallPart): string | undefined {
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
  const said = withoutOwnId(withoutTagged(edgesOf(text), (name) => name === "usage").trimEnd());
  const pieces = readPassage(said, true).filter(saysSomething);
  if (pieces.length < 2) return undefined;
  const shown = fromBothEnds(pieces);
  let lead = "";
  const told = shown
    .map((piece) => {
      const title = piece.lead === lead ? "" : (piece.lead.split("\n").at(-1) ?? "");
      lead = piece.lead;
      return cutTo([title, piece.text].filter((each) => each !== "").join(" "), MAX_STATEMENT);
    })
    .join(" … ");
  return plantIn(said) === undefined ? told : markPlant(told);
}

/** A message of another agent that is short enough to be told as it is; undefined for any other text. */
export function shortMessage(text: string): string | undefined {
  if (text.length > 2 * MAX_REPORT || text.includes("<")) return undefined;
  const line = text.replace(/\s+/g, " ").trim();
  if (line === "" || line.length > MAX_REPORT) return undefined;
  return withPlantMark(line);
}

/** How a long text begins and ends. */
function edgesOf(text: string): string {
  return text.length <= 2 * EDGE ? text : `${firstCharacters(text, EDGE)}\n${lastCharacters(text, EDGE)}`;
}

function withoutOwnId(text: string): string {
  const last = text.lastIndexOf("\n") + 1;
  return OWN_ID.test(text.slice(last, last + 60)) ? text.slice(0, last) : text;
}

function saysSomething({ text, kind }: Piece): boolean {
  if (kind !== "sentence") return kind !== "code";
  return SPECIFIC.test(text) || VERDICT.test(text) || text.split(/\s+/, MIN_WORDS).length >= MIN_WORDS;
}

function fromBothEnds(pieces: readonly Piece[]): Piece[] {
  const lengthOf = ({ text }: Piece): number => Math.min(text.length, MAX_STATEMENT);
  let head = 0;
  let tail = pieces.length;
  let left = MAX_REPORT;
  for (let fromEnd = false; head < tail; fromEnd = !fromEnd) {
    left -= lengthOf(pieces[fromEnd ? tail - 1 : head]!);
    if (left < 0 && head > 0) break;
    if (fromEnd) tail--;
    else head++;
  }
  return [...pieces.slice(0, head), ...pieces.slice(tail)];
}
