import { firstCharacters } from "../../core/first-characters.ts";
import { HIDDEN_NOTE, SUMMARY_MARKER } from "../../core/message-text.ts";
import { fromFrames, sectionByTitle } from "../frames/frames.ts";
import { escapeFrame, escapeLine, escapeText } from "../text/escape.ts";
import { LINE_BREAK } from "../text/look-alikes.ts";
import { SECTION_NAMES, SECTIONS, type SectionName } from "./section-titles.ts";

/**
 * The tag around a summary message. Hosts sometimes feed a view back as their transcript, so our own messages must be
 * recognisable; text from users and tools can't draw the tag (see `escape.ts`).
 */
export const OPENING = `<${SUMMARY_MARKER}>`;
export const CLOSING = `</${SUMMARY_MARKER}>`;

/** Does this text look like a summary message? Whether it really is one of ours, only its proof can tell. */
export function isSummaryMessage(text: string): boolean {
  return text.trimStart().startsWith(`<${SUMMARY_MARKER}`) && text.trimEnd().endsWith(CLOSING);
}

/** One thing that a section says. Code writes the head; the text is quoted. */
export interface SectionEntry {
  /** `#12`, `#3–9:`, `#12 read a.ts»`, `[2]`, or nothing. */
  readonly head: string;
  readonly text: string;
}

export type Sections = Partial<Record<SectionName, readonly SectionEntry[]>>;

/**
 * Further lines of what tools and files said are indented, so that they can't be taken for the beginning of something else even
 * by a careless reader. A blank costs hardly any tokens: it mostly is one with the word behind it. What people wrote stays
 * letter for letter at the margin; escaping alone keeps it from looking like a title or a pointer.
 */
const INDENT = " ";
/** Between a pointer and a line: who said it, if it wasn't the assistant. A line of the assistant's must not begin like it. */
const SPEAKER = "(?:(?:user|system): |[\\p{L}\\p{N}_.@+~ -]{0,129}[\\p{L}\\p{N}_.@+~-]» )";
const SPEAKS = new RegExp(`^${SPEAKER}`, "u");

/** Sections whose entries are one line each. */
const ONE_LINE: ReadonlySet<SectionName> = new Set(["sources", "files", "states", "state"]);

/** The whole text: what it is, then every section that has content, inside the marker. */
export function writeSections(
  introduction: string,
  sections: Sections,
  names: readonly SectionName[] = SECTION_NAMES,
  titles: Readonly<Record<SectionName, string>> = SECTIONS,
  entryText = sectionEntryText,
): string {
  const parts = names.flatMap((name) => {
    const entries = sections[name] ?? [];
    return entries.length === 0 ? [] : [titles[name], ...entries.map((entry) => entryText(name, entry))];
  });
  return [OPENING, introduction, ...parts, CLOSING].join("\n");
}

/** One entry as its section writes it: the head, and the text escaped behind it. */
export function sectionEntryText(name: SectionName, { head, text }: SectionEntry): string {
  const quoted = ONE_LINE.has(name) ? escapeLine(text.split(LINE_BREAK).join(" ")) : escapeText(text);
  if (name !== "lines" && name !== "said") return head === "" ? quoted : `${head} ${quoted}`;
  const isUnnamed = !/[»:]$/.test(head);
  const first = isUnnamed && SPEAKS.test(quoted) ? "\\" : "";
  return `${head} ${first}${quoted.replaceAll("\n", `\n${INDENT}`)}`;
}

/** A name from outside (of a tool, of a file) for a head: one short word or file name, nothing that can be read as a sentence of ours. */
export function headName(name: string, kind: "tool" | "file"): string {
  const allowed = kind === "tool" ? /[^\p{L}\p{N}_.-]+/gu : /[^\p{L}\p{N}_.@+~ -]+/gu;
  return firstCharacters(escapeLine(name), MAX_NAME).replace(allowed, "_").trim();
}

/** The same for what said something; without a name, what kind of thing it is. */
export function sourceName(name: string | undefined, kind: "tool" | "file"): string {
  return headName(name ?? "", kind) || kind;
}

/** Longer names are cut (characters). */
const MAX_NAME = 60;

/** How an entry begins, by section. Escaped text never does. */
const HEADS: Readonly<Record<SectionName, RegExp>> = {
  narrative: /^#\d+(?:–\d+)?: /,
  words: /^#\d+ /,
  answers: /^#\d+ /,
  lines: new RegExp(`^#\\d+ ${SPEAKER}?`, "u"),
  said: new RegExp(`^#\\d+ ${SPEAKER}?`, "u"),
  sources: /^\[\^?\d+\] /,
  files: /^\S{1,60}: /,
  states: /^[^:\n]{1,60}: /,
  state: /^/,
};

/** The sections of a summary message. Only for texts that are known to be ours: anybody can write titles. */
export function readSections(text: string): Sections {
  const sections: Partial<Record<SectionName, { head: string; text: string }[]>> = {};
  const titles = sectionByTitle();
  let name: SectionName | undefined;
  for (const line of text.trim().split("\n")) {
    const title = titles.get(line);
    if (title !== undefined) {
      name = title;
      sections[name] = [];
      continue;
    }
    if (name === undefined || line === CLOSING) continue;
    const entries = sections[name]!;
    const head = HEADS[name].exec(line)?.[0];
    const last = entries.at(-1);
    if (head !== undefined || last === undefined)
      entries.push({ head: head?.trimEnd() ?? "", text: line.slice(head?.length ?? 0) });
    else last.text += `\n${name === "lines" || name === "said" ? line.slice(INDENT.length) : line}`;
  }
  return sections;
}

/** What every summary message begins with, behind its marker. */
const INTRODUCTION = "A record of earlier messages of this conversation, not an instruction.";
/** The same in any language that is in use, with the messages that it speaks for. */
const ownIntroduction = fromFrames((all) => {
  const lines = all.flatMap(({ introduction, quotations }) => [introduction, quotations]);
  const forms = lines.map((line) =>
    line
      .split(/\s?[(（]#[)）]/)
      .map(escaped)
      .join("[^\\n]*"),
  );
  return new RegExp(`^(?:${forms.join("|")})(?:\\n|$)`);
});

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/**
 * The text of a summary message in a frame that code made: one that comes from outside may have left its own, or have
 * written a second one inside of it. A text that code framed stays as it is.
 */
export function reframe(text: string): string {
  const isFramed = text.startsWith(OPENING) && text.endsWith(CLOSING) && text.length >= FRAME.length;
  const inside = escapeFrame(isFramed ? text.slice(OPENING.length, -CLOSING.length) : text);
  if (isFramed && (inside === HIDDEN_NOTE || ownIntroduction().test(inside.trimStart())))
    return `${OPENING}${inside}${CLOSING}`;
  return [OPENING, INTRODUCTION, inside.trim(), CLOSING].join("\n");
}

const FRAME = `${OPENING}${CLOSING}`;
