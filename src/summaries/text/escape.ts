import { SUMMARY_MARKER } from "../../core/message-text.ts";
import { fromFrames } from "../frames/frames.ts";
import { escapeTags, LINE_BREAK, skeleton, withoutInvisible, withPlainBreaks } from "./look-alikes.ts";

/**
 * The markers that frame text of ours and text of others: `<transcript>`, `<message index="12" role="tool">`, … A model
 * reads them as borders, so text from users and tools must not be able to draw one.
 */

/** Every marker of ours. Content can neither open nor close any of them. */
export const MARKER_NAMES = [
  "conversation-summary",
  "previous-summary",
  "earlier-record",
  "notes",
  "excerpts",
  "analysis",
  "attachment",
  "transcript",
  "message",
  "tool-call",
  "tool-result",
  "must-keep",
  "states",
  "focus",
] as const;

type MarkerName = (typeof MARKER_NAMES)[number];

/** Values by attribute name; undefined ones are left out. */
type Attributes = Readonly<
  Partial<Record<"index" | "role" | "name" | "of" | "error" | "id" | "covers", string | number | undefined>>
>;

/** A name ends where a letter, digit or hyphen doesn't follow: `<messages>` is none of ours. */
const OUR_NAMES = new RegExp(`^(?:${MARKER_NAMES.join("|")})(?![\\p{L}\\p{N}_-])`, "u");

/** Text that can neither open nor close a marker of ours: their `<` becomes `&lt;`, and what nobody can see leaves. */
export function contain(text: string): string {
  return escapeTags(withoutInvisible(text), OUR_NAMES);
}

/** `name` around a text from outside. An empty text gives a self-closing marker. */
export function tag(name: MarkerName, content: string, attributes?: Attributes): string {
  return nest(name, contain(content), attributes);
}

/** `name` around markers of ours: `content` must come from `tag`, `nest` or `contain`, it is taken as it is. */
export function nest(name: MarkerName, content: string, attributes: Attributes = {}): string {
  const opening = `<${name}${Object.entries(attributes).map(attribute).join("")}`;
  if (content === "") return `${opening}/>`;
  const glue = content.includes("\n") ? "\n" : "";
  return `${opening}>${glue}${content}${glue}</${name}>`;
}

function attribute([name, value]: [string, string | number | undefined]): string {
  return value === undefined ? "" : ` ${name}="${escapeAttribute(String(value))}"`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text in which no character can begin or end markup. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

/** One line, without quotes, borders and control characters. */
function escapeAttribute(value: string): string {
  return escapeMarkup(value.toWellFormed()).replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

/**
 * The one way in which words of others get into a message of ours. What they say stays readable letter for letter, but it
 * can't look like something that code wrote: no tag of ours, no title, no pointer to a message, nothing invisible.
 */

/** Tags that would end the message or speak in somebody's role, and the tokens of chat templates (`<|im_start|>`). */
const TAGS = new RegExp(
  `^(?:(?:${SUMMARY_MARKER}|host-state|system|system-reminder|developer|user|assistant|human)(?![\\p{L}\\p{N}_-])|\\|)`,
  "u",
);
/** Signs that stand before a title or a pointer without changing what it looks like: bullets, quotation marks, headings. */
const DECORATION = "[^\\p{L}\\p{N}\\\\#]*";
const POINTER = new RegExp(`^${DECORATION}#+\\s*\\d`, "u");
/** As many characters of a line decide what it looks like. */
const MAX_LOOK = 160;
const PLAIN_LINE = /^[\t\x20-\x22\x24-\x3b\x3d-\x7e]*$/;

const letters = (text: string): string => skeleton(text).replace(/[^a-z:]/g, "");
/** The same of scripts that have no letters from a to z. */
const signs = (text: string): string => skeleton(text).replace(/[^\p{L}\p{N}:]/gu, "");
/** Of a title in another script, `letters` leaves fewer. */
const LEAST_LETTERS = 5;

/** How titles look in all languages whose frames are in use. */
const looks = fromFrames((all) => {
  const titles = all.flatMap((frame) => Object.values(frame.titles));
  const latin = titles.filter((title) => letters(title).length > LEAST_LETTERS);
  return {
    // Titles that nobody writes by chance count wherever a line begins with them; others only where they are all of it.
    unlikely: latin
      .filter((title) => title.includes(" "))
      .map((title) => letters(title.replace(/[(:].*/, ""))),
    likely: new Set(latin.filter((title) => !title.includes(" ")).map(letters)),
    /** First letters of titles, so that most lines needn't be looked at. */
    initials: new RegExp(`^[^a-z]*[${[...new Set(latin.map((title) => letters(title)[0]))].join("")}]`),
    others: titles
      .filter((title) => !latin.includes(title))
      .map((title) => signs(title.replace(/[(（].*/, ""))),
  };
});

/** One line of a quotation. Escaping it again changes nothing. */
export function escapeLine(line: string): string {
  // Nearly all lines are ASCII without a bracket or a number sign: then only titles are left to look for.
  return PLAIN_LINE.test(line) ? escapeStart(line) : escapeText(line.split(LINE_BREAK).join(" "));
}

/** A quotation of several lines, with `\n` as its only line break. */
export function escapeText(text: string): string {
  // A tag may be broken over two lines.
  const safe = escapeTags(withoutInvisible(withPlainBreaks(text)), TAGS);
  return safe.split("\n").map(escapeStart).join("\n");
}

/** A text whose structure is its own, but which can't open or close a frame of ours. */
export function escapeFrame(text: string): string {
  return escapeTags(text, TAGS);
}

function escapeStart(line: string): string {
  return looksLikePointer(line) || looksLikeTitle(line) ? `\\${line}` : line;
}

function looksLikePointer(line: string): boolean {
  return !PLAIN_LINE.test(line) && POINTER.test(skeleton(line.slice(0, MAX_LOOK)));
}

function looksLikeTitle(line: string): boolean {
  const start = skeleton(line.slice(0, MAX_LOOK)).trimStart();
  if (start.startsWith("\\")) return false;
  const { unlikely, likely, initials, others } = looks();
  if (initials.test(start)) {
    const spelled = start.replace(/[^a-z:]/g, "");
    if (unlikely.some((title) => spelled.startsWith(title)) || likely.has(spelled)) return true;
  }
  if (others.length === 0 || PLAIN_LINE.test(line)) return false;
  const spelled = signs(start);
  return others.some((title) => spelled.startsWith(title));
}
