import { clipText } from "../../core/clip.ts";
import { addTo } from "../../core/collections.ts";
import { firstCharacters, textBetween } from "../../core/first-characters.ts";
import { isHostNote, isSummary, SUMMARY_MARKER, textOrArgs } from "../../core/message-text.ts";
import type { FilePart, ImagePart, Message, Part, Role, Run, ToolResultPart } from "../../core/types.ts";
import type { MustKeep } from "../keep/must-keep.ts";
import type { RecordKind } from "../prompts/index.ts";
import { findCitations } from "../sources/citations.ts";
import { contain, nest, tag } from "../text/escape.ts";
import { withPlainBreaks } from "../text/look-alikes.ts";

/** `full`: message by message, with roles, calls and results. `simple`: a flat labelled transcript, long parts clipped. */
export type InputMode = "full" | "simple";

/** Characters of a call's arguments and of a result that the simple mode shows. */
const SIMPLE_ARGUMENTS = 500;
const SIMPLE_RESULT = 2_000;
/** A name, a media type or a kind comes from outside and stands in one line of ours. */
const MAX_LABEL = 120;
const BASE64 = /data:[\w.+-]{1,40}\/[\w.+-]{1,80};base64,([A-Za-z0-9+/=_-]{64,})/g;
/** Reasoning that a server left in the text, at its beginning; unclosed, it goes on to the end. */
const INLINE_REASONING = /^\s*<(think|thinking|reasoning)>[\s\S]*?(?:<\/\1>|$)/i;

/**
 * The messages of `run` as a summariser is shown them, numbered as in summary messages (`#12` is index 11). Markers in
 * it are ours: it may be nested in a `<transcript>` as it is. Reasoning is never part of it. Every part is within
 * `partLimit` characters.
 */
export function renderRun(
  messages: readonly Message[],
  run: Run,
  mode: InputMode,
  partLimit = Number.POSITIVE_INFINITY,
): string {
  const callOf = pairedCalls(messages, run);
  const render = mode === "full" ? fullPart : simplePart;
  const rendered: string[] = [];
  for (let index = Math.max(0, run.from); index < Math.min(run.to, messages.length); index++) {
    const message = messages[index]!;
    const who = isSummary(message) ? "earlier-summary" : isHostNote(messages, index) ? "host" : message.role;
    const pieces = message.parts.map((part) => render(part, { number: index + 1, who, callOf, clip }));
    const text = pieces.filter((piece) => piece !== "").join("\n");
    if (text === "") continue;
    rendered.push(mode === "full" ? nest("message", text, { index: index + 1, role: who }) : text);
  }
  return rendered.join("\n");

  function clip(text: string, most = Number.POSITIVE_INFINITY): string {
    const limit = Math.min(most, partLimit);
    return text.length <= limit ? text : (clipText(text, limit, (piece) => piece.length) ?? "[…]");
  }
}

/** What a part's rendering depends on beside the part. */
interface Surroundings {
  readonly number: number;
  readonly who: Role | "earlier-summary" | "host";
  readonly callOf: ReadonlyMap<Part, PairedCall>;
  /** The text within `most` characters, clipped with a marker. */
  readonly clip: (text: string, most?: number) => string;
}

function fullPart(part: Part, { who, callOf, clip }: Surroundings): string {
  switch (part.type) {
    case "text":
      return contain(clip(spokenText(part.text, who)));
    case "tool-call":
      return tag("tool-call", clip(plainText(part.args)), { name: label(part.name) });
    case "tool-result": {
      const call = callOf.get(part);
      return tag("tool-result", clip(resultText(part)), {
        name: label(call?.name ?? part.name ?? "") || undefined,
        of: call?.label,
        error: part.error ? "yes" : undefined,
      });
    }
    case "file":
      if (part.text === undefined) return filePlaceholder(part);
      return tag("attachment", clip(plainText(part.text)), { id: label(part.name ?? "file") });
    default:
      return placeholder(part);
  }
}

function simplePart(part: Part, { number, who, callOf, clip }: Surroundings): string {
  switch (part.type) {
    case "text":
      return line(who, clip(spokenText(part.text, who)));
    case "tool-call":
      return line(
        `${who} calls ${label(part.name)}`,
        clip(plainText(part.args), SIMPLE_ARGUMENTS) || "(empty)",
      );
    case "tool-result": {
      const call = callOf.get(part);
      const from = `${label(call?.name ?? part.name ?? "a tool")}${call ? ` (#${call.label})` : ""}`;
      return line(
        `${part.error ? "error" : "result"} of ${from}`,
        clip(resultText(part), SIMPLE_RESULT) || "(empty)",
      );
    }
    case "file": {
      if (part.text === undefined) return line(who, filePlaceholder(part));
      const text = clip(plainText(part.text), SIMPLE_RESULT);
      return line(`${who} attaches ${label(part.name ?? "a file")}`, text || "(empty)");
    }
    default:
      return line(who, placeholder(part));
  }

  /** Lines that continue a text are indented, so that no text can imitate the label of another message. */
  function line(what: string, text: string): string {
    return text === "" ? "" : contain(`#${number} ${what}: ${text.replaceAll("\n", "\n  ")}`);
  }
}

interface PairedCall {
  readonly name: string;
  /** Number of its message; `12.2` for the second call of message 12. */
  readonly label: string;
}

/** The call of each result. Ids repeat in real transcripts: the newest call without a result is meant. */
function pairedCalls(messages: readonly Message[], run: Run): Map<Part, PairedCall> {
  const waiting = new Map<string, PairedCall[]>();
  const paired = new Map<Part, PairedCall>();
  for (let index = Math.max(0, run.from); index < Math.min(run.to, messages.length); index++) {
    const { parts } = messages[index]!;
    const several = parts.filter((part) => part.type === "tool-call").length > 1;
    let serial = 0;
    for (const part of parts) {
      if (part.type === "tool-call") {
        serial++;
        const call = { name: part.name, label: several ? `${index + 1}.${serial}` : `${index + 1}` };
        addTo(waiting, part.id, call);
      } else if (part.type === "tool-result") {
        const call = waiting.get(part.id)?.pop();
        if (call) paired.set(part, call);
      }
    }
  }
  return paired;
}

/** The words of a message: a summary without its frame, an answer without reasoning that a server left in it. */
function spokenText(text: string, who: Surroundings["who"]): string {
  if (who === "earlier-summary") {
    const frame = new RegExp(`^\\s*<${SUMMARY_MARKER}[^>]*>|</${SUMMARY_MARKER}>\\s*$`, "g");
    return plainText(text.replace(frame, ""));
  }
  return plainText(who === "assistant" ? text.replace(INLINE_REASONING, "") : text);
}

function plainText(text: string): string {
  return withPlainBreaks(text.toWellFormed())
    .replace(BASE64, (_, data: string) => `[base64 data, ${data.length} characters]`)
    .trim();
}

function resultText(part: ToolResultPart): string {
  return [plainText(part.text), ...(part.media ?? []).map(placeholder)]
    .filter((piece) => piece !== "")
    .join("\n");
}

/** What stands for a part that can't be read as text. Reasoning has none: it isn't mentioned at all. */
function placeholder(part: Part): string {
  switch (part.type) {
    case "image":
      return imagePlaceholder(part);
    case "file":
      return filePlaceholder(part);
    case "frame":
      return `[${part.count} video frames]`;
    case "other":
      return `[${label(part.kind)}, not shown]`;
    default:
      return "";
  }
}

function imagePlaceholder({ width, height }: ImagePart): string {
  return width === undefined || height === undefined ? "[image]" : `[image ${width}×${height}]`;
}

function filePlaceholder({ name, mediaType, bytes }: FilePart): string {
  const facts = [name, mediaType, bytes === undefined ? undefined : `${bytes} bytes`];
  return contain(
    `[file ${facts
      .filter((fact) => fact !== undefined)
      .map(label)
      .join(", ")}]`,
  );
}

function label(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\s\p{Cc}[\]]+/gu, " ")
    .trim();
  return firstCharacters(line, MAX_LABEL);
}

/** From this share of calls and results in all text on, a conversation is work with tools. */
const WORK_TOOL_SHARE = 0.4;
/** From this share of answers with citations on, it is about sources. */
const CITED_SHARE = 0.3;
const LEAST_CITED = 2;
/** The newest messages say what a conversation has become. */
const NEWEST = 400;

/** What kind of conversation this is: work with tools, answers from sources, or talk. */
export function recordKind(messages: readonly Message[]): RecordKind {
  let said = 0;
  let tools = 0;
  let answers = 0;
  let cited = 0;
  for (const { role, parts } of messages.slice(-NEWEST)) {
    if (role === "system") continue;
    for (const part of parts) {
      if (part.type === "tool-call") tools += part.args.length + part.name.length;
      else if (part.type === "tool-result") tools += part.text.length;
      else if (part.type === "text") {
        said += part.text.length;
        if (role !== "assistant" || part.text.trim() === "") continue;
        answers++;
        if (findCitations(part.text).length > 0) cited++;
      }
    }
  }
  if (tools > 0 && tools >= WORK_TOOL_SHARE * (said + tools)) return "work";
  return cited >= LEAST_CITED && cited >= CITED_SHARE * answers ? "retrieval" : "talk";
}

/** The sample that the words of a conversation are measured on (characters). */
const SAMPLE = 20_000;
/** Lines that look like data say nothing about how people write here. */
const MAX_LINE = 600;
/** A word as people write it. Names of code, paths and figures are no measure of how long prose is. */
const WORD = /^\p{P}*\p{L}[\p{L}\p{M}'’-]*\p{P}*$/u;
/** Of a record, names and figures take as much again as so much of its words. */
const DENSITY = 1.35;
/** Bounds for tokens per word of a record: English has 1.8, Hindi with an old tokenizer about 5. */
const LEAST = 1.5;
const MOST = 5;
/** Tokens per word where there is nothing to measure. */
const USUAL = 1.65;
/** Longer "words" are text of a script without blanks: there characters are counted. */
const LONGEST_WORD = 14;

/**
 * How many words of a record in this conversation's language a number of tokens is, because models count words, if anything. It is
 * measured on the words that were said, by the counter that will judge the record.
 */
export function lengthInWords(
  texts: Iterable<string>,
  count: (text: string) => number,
): (tokens: number) => string {
  let sample = "";
  for (const text of texts) {
    for (const line of text.split("\n")) {
      if (line.length <= MAX_LINE) sample += `${line.trim()}\n`;
      if (sample.length >= SAMPLE) break;
    }
    if (sample.length >= SAMPLE) break;
  }
  const said = sample.slice(0, SAMPLE).match(/\S+/g) ?? [];
  const plain = said.filter((word) => WORD.test(word));
  sample = plain.join(" ");
  const characters = plain.reduce((sum, word) => sum + word.length, 0);
  const words = plain.length;
  if (words === 0) return (tokens) => `${round(tokens / USUAL)} words`;
  const measured = count(sample);
  if (characters / words > LONGEST_WORD) {
    const perCharacter = measured / characters;
    return (tokens) => `${round(tokens / perCharacter)} characters`;
  }
  const perWord = Math.min(MOST, Math.max(LEAST, (measured / words) * DENSITY));
  return (tokens) => `${round(tokens / perWord)} words`;
}

/** A round figure: nobody writes exactly 1,273 words. */
function round(amount: number): number {
  const step = amount >= 200 ? 10 : 1;
  return Math.max(1, Math.floor(amount / step) * step);
}

/** Characters around an item that say what it is about. */
const BEFORE = 160;
const AFTER = 160;
/** More would be the conversation again (characters). */
const MAX_EXCERPTS = 12_000;

/** The places that items stand in, each item once, in the order of the messages: all that a model needs to work them in. */
export function renderExcerpts(messages: readonly Message[], items: readonly MustKeep[]): string {
  const byMessage = new Map<number, Set<string>>();
  for (const item of items) {
    const excerpt = excerptOf(messages[item.message], item);
    if (excerpt === undefined) continue;
    const excerpts = byMessage.get(item.message) ?? new Set();
    byMessage.set(item.message, excerpts.add(excerpt));
  }
  const rendered: string[] = [];
  let length = 0;
  for (const [index, excerpts] of [...byMessage].sort(([a], [b]) => a - b)) {
    const text = nest("message", contain([...excerpts].join("\n")), {
      index: index + 1,
      role: messages[index]!.role,
    });
    length += text.length;
    if (length > MAX_EXCERPTS) break;
    rendered.push(text);
  }
  return rendered.join("\n");
}

/** The stretch of a message around an item, as one line. */
function excerptOf(message: Message | undefined, item: MustKeep): string | undefined {
  for (const part of message?.parts ?? []) {
    const text = textOrArgs(part);
    const at = text.toLowerCase().indexOf(item.text.toLowerCase());
    if (at < 0) continue;
    const from = Math.max(0, at - BEFORE);
    const to = Math.min(text.length, at + item.text.length + AFTER);
    const line = textBetween(text, from, to).replace(/\s+/g, " ").trim();
    return `${from > 0 ? "… " : ""}${line}${to < text.length ? " …" : ""}`;
  }
  return undefined;
}
