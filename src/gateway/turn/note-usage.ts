import { isJson, type Json, numberOf, parseJson } from "../../apis/shared/fields.ts";
import { stringifyDeep } from "../../core/deep-json.ts";
import type { Wire } from "../wires/index.ts";
import { USAGE } from "./commit.ts";
import { createEventEnd, EVENT_ENDS, MAX_CUT } from "./relay.ts";

/** What an answer is told about its request. */
export interface AnswerNote {
  /** Tokens of the transcript that were not sent; undefined if all were. */
  readonly saved: number | undefined;
  /** Report usage as if the whole transcript had been sent. */
  readonly asTranscript: boolean;
  /** Anthropic's edits that precis carried out. */
  readonly appliedEdits: readonly Json[] | undefined;
  /** What the rounds of the request took together, as far as they are answered; left out where there can be only one. */
  readonly used?: () => { readonly rounds: number; readonly input: number; readonly output: number };
}

/** The answer or event with what is to be told, in fields of the API or of our own; undefined if it has no place for it. */
export function noteAnswer(wire: Wire, note: AnswerNote): (data: Json) => Json | undefined {
  return (data) => {
    const noted = wire.withUsage(data, (usage) => noteUsage(wire, note, usage));
    if (!noted || !note.appliedEdits || noted["type"] === "message_start") return noted;
    return { ...noted, context_management: { applied_edits: note.appliedEdits } };
  };
}

function noteUsage(wire: Wire, { saved, asTranscript, used }: AnswerNote, given: Json): Json {
  const usage = wire.hasStrictUsage ? given : { ...given, ...roundsUsed(used?.()) };
  const input = numberOf(usage[wire.inputField]);
  if (input === undefined || saved === undefined) return usage;
  const changed: Record<string, unknown> = {
    ...usage,
    ...(!wire.hasStrictUsage && { precis_saved_tokens: saved }),
  };
  if (!asTranscript) return changed;
  changed[wire.inputField] = input + saved;
  const { totalField = "total_tokens" } = wire;
  const total = numberOf(usage[totalField]);
  if (total !== undefined) changed[totalField] = total + saved;
  return changed;
}

/** The usage of an answer is that of its last round, because clients compact by it; what all of them took stands beside it. */
function roundsUsed(used: ReturnType<NonNullable<AnswerNote["used"]>> | undefined): Json {
  if (!used || used.rounds < 2) return {};
  return { precis_rounds: used.rounds, precis_input_tokens: used.input, precis_output_tokens: used.output };
}

/** Rewrites the events of a stream that carry usage; all other bytes pass as they are, and events of more than `most` bytes do. */
export function answerRewriter(
  wire: Wire,
  note: AnswerNote,
  most: number,
): (piece: Buffer, isLast: boolean) => Buffer {
  const change = noteAnswer(wire, note);
  let rest: Buffer[] = [];
  let size = 0;
  /** The beginning of this event has left already. */
  let isPart = false;
  let endsEvent = createEventEnd();
  return (piece, isLast) => {
    rest.push(piece);
    size += piece.length;
    // Only whole events are looked at; they end with an empty line.
    const isReady = endsEvent(piece) || isLast;
    if (!isReady && size <= most) return Buffer.alloc(0);
    const all = rest.length === 1 ? piece : Buffer.concat(rest);
    if (!isReady) {
      isPart = true;
      // The empty line may begin here.
      rest = [Buffer.from(all.subarray(-MAX_CUT))];
      size = 0;
      return all.subarray(0, -MAX_CUT);
    }
    const end = isLast ? all.length : lastEvent(all);
    rest = end < all.length ? [all.subarray(end)] : [];
    size = all.length - end;
    endsEvent = createEventEnd();
    if (rest[0]) endsEvent(rest[0]);
    const passed = isPart ? firstEvent(all, end) : 0;
    isPart = false;
    const ready = all.subarray(passed, end);
    if (!ready.includes(USAGE)) return all.subarray(0, end);
    // What stands between the lines stays as it is: parsers of some clients take no other line end.
    const text = ready.toString("utf8").replaceAll(/[^\r\n]+/g, (line) => rewrite(line, change));
    const rewritten = Buffer.from(text);
    return passed === 0 ? rewritten : Buffer.concat([all.subarray(0, passed), rewritten]);
  };
}

/** Where the first event ends. */
function firstEvent(bytes: Buffer, most: number): number {
  const ends = EVENT_ENDS.map((end) => bytes.indexOf(end)).filter((at) => at >= 0);
  return Math.min(most, ...ends.map((at) => at + 2));
}

function lastEvent(bytes: Buffer): number {
  return Math.max(
    ...EVENT_ENDS.map((end) => {
      const at = bytes.lastIndexOf(end);
      return at < 0 ? 0 : at + end.length;
    }),
  );
}

function rewrite(line: string, change: (data: Json) => Json | undefined): string {
  if (!line.startsWith("data:") || !line.includes(USAGE)) return line;
  const data = parseJson(line.slice("data:".length));
  const changed = isJson(data) ? change(data) : undefined;
  return changed ? `data: ${stringifyDeep(changed)}` : line;
}
