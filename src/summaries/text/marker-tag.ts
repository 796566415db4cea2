import { escapeTags, withoutInvisible } from "./look-alikes.ts";

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
