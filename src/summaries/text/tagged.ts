/**
 * What hosts and pastes put into a user's message between tags, told from what the user typed.
 */

const ATTRIBUTES = String.raw`(?:\s[^<>]{0,200})?`;
const OPENING_TAG = new RegExp(`<([a-z][\\w-]*)${ATTRIBUTES}>`, "gi");

/** Names of blocks in which hosts hand passages of other people's documents to a model. */
const RETRIEVED =
  /^(?:retriev\w*|search[_-]?results?|documents?|docs?|sources?|passages?|chunks?|contexts?|references?|results?|knowledge|excerpts?|snippets?|web[_-]?pages?|pages?|articles?|attachments?|files?)$/i;

/** Names of blocks in which hosts put what the user typed, beside passages and notes of their own. */
const TYPED = "user[_-]?(?:query|question|request|message|prompt|input)|query|question|task|feedback";
const TYPED_NAME = new RegExp(`^(?:${TYPED})$`, "i");
const TYPED_TAG = new RegExp(`</?(${TYPED})${ATTRIBUTES}>`, "gi");
const TYPED_CLOSING = new RegExp(`</(${TYPED})>`, "gi");

/** Whether a block of this name holds what was retrieved, not what a person wrote into the conversation. */
export function isRetrieved(name: string): boolean {
  return RETRIEVED.test(name);
}

/** Whether a tagged piece is such a block. */
export function isPassage(piece: string): boolean {
  return isRetrieved(/^<([a-z][\w-]*)/i.exec(piece)?.[1] ?? "");
}

/** The text without `<tag>…</tag>`, for the names that are meant. */
export function withoutTagged(text: string, isMeant?: (name: string) => boolean): string {
  return [...typedAndTagged(text, isMeant)].map(({ tagged, text: piece }) => (tagged ? " " : piece)).join("");
}

/** Tags between which hosts put a command that the user typed. */
const COMMAND_TAG = /<\/?command-[a-z]+>/g;

/** The name of a command as people read it, which hosts put beside the name that was typed. */
const COMMAND_LABEL = "command-message";

/** A command as the user typed it, without the tags of its host, and without what it printed. */
export function withoutCommandTags(text: string): string {
  const hasName = text.includes("<command-name>");
  const isMeant = (name: string): boolean =>
    name.startsWith("local-command-") || (hasName && name === COMMAND_LABEL);
  return withoutTagged(text, isMeant).replace(COMMAND_TAG, " ");
}

/**
 * A text in pieces: what stands in `<tag>…</tag>`, which a host or a paste put there, and the rest. Blocks that hold the
 * user's own words belong to the rest, without their tags. By hand, because a pattern for it takes quadratic time on text
 * full of `<a>`.
 */
export function* typedAndTagged(
  text: string,
  isMeant: (name: string) => boolean = () => true,
): Generator<{ readonly tagged: boolean; readonly text: string }> {
  const closed = new Set([...text.matchAll(TYPED_CLOSING)].map((match) => match[1]!.toLowerCase()));
  const typed = (piece: string): string =>
    closed.size === 0
      ? piece
      : piece.replace(TYPED_TAG, (tag, name: string) => (closed.has(name.toLowerCase()) ? "" : tag));
  const ends = closingTags(text);
  let from = 0;
  for (const match of text.matchAll(OPENING_TAG)) {
    const name = match[1]!;
    if (match.index < from || !ends.has(name) || TYPED_NAME.test(name) || !isMeant(name)) continue;
    const closings = ends.get(name)!;
    // A passage may write the closing tag of its own block: what it says up to the last one isn't typed.
    const end = isRetrieved(name) ? closings.places.at(-1)! : nextAfter(closings, match.index);
    if (end === undefined || end <= match.index) continue;
    if (match.index > from) yield { tagged: false, text: typed(text.slice(from, match.index)) };
    from = end;
    yield { tagged: true, text: text.slice(match.index, from) };
  }
  if (from < text.length) yield { tagged: false, text: typed(text.slice(from)) };
}

const CLOSING_TAG = /<\/([a-z][\w-]*)>/gi;

/** Where the tags of one name are closed: behind these places, in order. Those before `next` were passed already. */
interface Closings {
  readonly places: number[];
  next: number;
}

/** The closing tags by name, found once for all of them: a text may open thousands that are never closed. */
function closingTags(text: string): ReadonlyMap<string, Closings> {
  const closings = new Map<string, Closings>();
  for (const { 0: tag, 1: name, index } of text.matchAll(CLOSING_TAG)) {
    const of = closings.get(name!) ?? { places: [], next: 0 };
    if (of.places.push(index + tag.length) === 1) closings.set(name!, of);
  }
  return closings;
}

/** The first place behind one; each is asked for in ascending order. */
function nextAfter(closings: Closings, at: number): number | undefined {
  while (closings.places[closings.next]! <= at) closings.next++;
  return closings.places[closings.next];
}
