import { problemOf, TranscriptError } from "./errors.ts";
import type { Dialect, Message, Part } from "./types.ts";

/** What a message says in words of its own: no calls, results, files or reasoning. */
export function saidText({ parts }: Pick<Message, "parts">): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** What a reader sees of a message: its texts, calls, results and files. */
export function readableText({ parts }: Pick<Message, "parts">): string {
  return parts
    .map((part) => {
      switch (part.type) {
        case "text":
        case "tool-result":
          return part.text;
        case "tool-call":
          return `${part.name} ${part.args}`;
        case "file":
          return part.text ?? "";
        default:
          return "";
      }
    })
    .join("\n");
}

/** What a part says, asks for or brings back; empty for files, pictures and reasoning. */
export function textOrArgs(part: Part): string {
  if (part.type === "tool-call") return part.args;
  return part.type === "text" || part.type === "tool-result" ? part.text : "";
}

/** Files and pictures cost by formulas that nobody vouches for. */
export function holdsMedia({ parts }: Pick<Message, "parts">): boolean {
  return parts.some(
    (part) =>
      ["image", "file", "frame"].includes(part.type) || (part.type === "tool-result" && part.media?.length),
  );
}

/** Characters of a token in scripts that have spaces between words: common for English; per message it is off by −39 % to +35 %. */
export const CHARS_PER_TOKEN = 4;

/** Characters that a message keeps in memory, about. */
export function charsOf({ parts }: Pick<Message, "parts">): number {
  return parts.reduce((sum, part) => {
    if (part.type === "tool-call") return sum + part.args.length;
    if (part.type === "other") return sum + part.json.length;
    const media = part.type === "tool-result" ? (part.media ?? []) : [];
    const sources = media.reduce((all, { source }) => all + source.length, 0);
    return (
      sum +
      sources +
      ("source" in part ? part.source.length : 0) +
      ("text" in part ? (part.text?.length ?? 0) : 0)
    );
  }, 0);
}

/** Name of the marker around a summary message. */
export const SUMMARY_MARKER = "conversation-summary";
/** What a note between messages says, where nothing more can be said of those that aren't shown. */
export const HIDDEN_NOTE = "Earlier messages of this conversation are not shown.";

/**
 * A message that precis wrote into an earlier view. Hosts sometimes store the view and send it back as the transcript;
 * such a message must not be taken for the user's own words. A user who quotes a summary writes something around it.
 */
export function isSummary(message: Message): boolean {
  const [first] = message.parts;
  return (
    (message.role === "user" || message.role === "system") &&
    first?.type === "text" &&
    first.text.startsWith(`<${SUMMARY_MARKER}`) &&
    first.text.trimEnd().endsWith(`</${SUMMARY_MARKER}>`)
  );
}

/** A tool by which a model loads instructions that its host keeps. */
const LOADS_INSTRUCTIONS =
  /^(?:.*(?:__|[.:/]))?(?:(?:load|use|read|get|open|run|invoke|activate|view|call)[_-]?)?skills?(?:[_-]?(?:tool|load|loader|use|read|get|view))?$/i;
/** Instructions are longer than what somebody types while a tool runs (characters). */
const LEAST_INSTRUCTIONS = 800;
/** What a host writes where somebody stopped the model. */
const INTERRUPTION = /^\s*\[request (?:was )?(?:interrupted|cancell?ed|aborted)[^\]\n]{0,80}\]\s*$/i;
/** A longer text is no such note (characters). */
const LONGEST_NOTE = 200;
/** A command that the user typed, and how hosts begin the instructions that they put behind it. */
const TYPED_COMMAND = /^\s*<command-(?:message|name)>/;
const REMINDER = "system-reminder";
const SKILL = /^Base directory for this skill: /;
/** Blocks in which a host tells of another agent's work, or hands on what it says, and one in which it reminds a model of something. */
const BLOCK = /\s*<(task-notification|teammate-message|system-reminder)(?:\s[^<>]{0,400})?>/y;
/** Where all of another agent's work stands. */
const PLACE =
  /^(?=[^\n:]{0,80}\b(?:transcript|output|results?|logs?)\b)[A-Z][^\n:]{0,80}: ?[^\s/\\]{0,40}[/\\]\S{1,400}$/;

/** Was a message of the user's role written by the host? Not a word of it is the user's. */
export function isHostNote(messages: readonly Message[], index: number): boolean {
  const message = messages[index];
  if (message?.role !== "user" || !message.parts.every((part) => part.type === "text")) return false;
  if (isNotice(message) || isCommandText(messages, index) || isReminder(message)) return true;
  const length = message.parts.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
  if (length >= LEAST_INSTRUCTIONS) return isLoaded(messages, index);
  const [part] = message.parts;
  return (
    message.parts.length === 1 &&
    length <= LONGEST_NOTE &&
    part!.type === "text" &&
    INTERRUPTION.test(part!.text)
  );
}

/** Does it stand right behind the result of a call that loads instructions? Hosts put their text in the user's place. */
function isLoaded(messages: readonly Message[], index: number): boolean {
  const results = messages[index - 1]?.parts.filter((part) => part.type === "tool-result") ?? [];
  const asked = new Set(results.map(({ id }) => id));
  for (let at = index - 2; at >= 0 && asked.size > 0; at--) {
    const { role, parts } = messages[at]!;
    const call = parts.find((part) => part.type === "tool-call" && asked.has(part.id));
    if (call?.type === "tool-call") return LOADS_INSTRUCTIONS.test(call.name);
    if (role === "user" && !parts.some((part) => part.type === "tool-result")) return false;
  }
  return false;
}

/** Is it what a host says about the work of another agent, or what that says, and nothing else? */
export function isNotice(message: Message): boolean {
  const { names, rest } = blocksOf(message);
  return names.some((name) => name !== REMINDER) && (rest === "" || PLACE.test(rest));
}

/** Is it a host's reminder, and nothing else? */
function isReminder(message: Message): boolean {
  const { names, rest } = blocksOf(message);
  return names.length > 0 && rest === "" && names.every((name) => name === REMINDER);
}

/** The blocks with which a message begins, and what stands behind them; none if it has other parts than one text. */
function blocksOf({ parts }: Message): { readonly names: readonly string[]; readonly rest: string } {
  const [part] = parts;
  if (parts.length !== 1 || part!.type !== "text") return { names: [], rest: "" };
  const names: string[] = [];
  let at = 0;
  for (;;) {
    BLOCK.lastIndex = at;
    const opened = BLOCK.exec(part!.text);
    const end = opened === null ? -1 : endOf(part!.text, opened[1]!, BLOCK.lastIndex);
    if (end < 0) return { names, rest: part!.text.slice(at).trim() };
    names.push(opened![1]!);
    at = end + opened![1]!.length + "</>".length;
  }
}

/** Where a block ends. What another agent says may hold the closing tag, and doesn't become the user's by it: the last one counts. */
function endOf(text: string, name: string, from: number): number {
  const closing = `</${name}>`;
  if (name === REMINDER) return text.indexOf(closing, from);
  const end = text.lastIndexOf(closing);
  return end < from ? -1 : end;
}

/** Is it the text of a skill whose command the user typed? */
function isCommandText(messages: readonly Message[], index: number): boolean {
  const [part] = messages[index]!.parts;
  const before = messages[index - 1];
  return (
    part?.type === "text" &&
    SKILL.test(part.text) &&
    before?.role === "user" &&
    before.parts.some((typed) => typed.type === "text" && TYPED_COMMAND.test(typed.text))
  );
}

/** Reads the messages of a transcript. Of one that can't be read, the error says which it is. */
export function readMessages<M>(dialect: Pick<Dialect<M>, "read">, transcript: readonly M[]): Message[] {
  const messages: Message[] = [];
  // Unlike `map`, this visits the holes of a list.
  for (let index = 0; index < transcript.length; index++) {
    try {
      messages.push(dialect.read(transcript[index]!));
    } catch (error) {
      if (!(error instanceof TranscriptError) || error.index !== undefined) throw error;
      throw new TranscriptError({ message: problemOf(error), fix: error.fix, index, cause: error });
    }
  }
  return messages;
}
