import { sameValue } from "./same-value.ts";
import type { Message, Part } from "./types.ts";

/** Do two messages say the same, with the same calls? Compared by content, never by identity. */
export function sameMessage(a: Message, b: Message): boolean {
  const ours = a.parts;
  const theirs = b.parts;
  if (a.role !== b.role || ours.length !== theirs.length) return false;
  for (let at = 0; at < ours.length; at++) if (!samePart(ours[at]!, theirs[at]!)) return false;
  return true;
}

/** Nearly all parts are texts, calls and results: for these the fields are named, which is several times as fast. */
function samePart(a: Part, b: Part): boolean {
  if (a.type === "text") return b.type === "text" && a.text === b.text;
  if (a.type === "tool-call")
    return (
      b.type === "tool-call" &&
      a.id === b.id &&
      a.name === b.name &&
      a.locked === b.locked &&
      a.args === b.args &&
      a.asDoubles === b.asDoubles
    );
  if (a.type === "tool-result")
    return (
      b.type === "tool-result" &&
      a.id === b.id &&
      a.name === b.name &&
      a.error === b.error &&
      a.locked === b.locked &&
      a.text === b.text &&
      sameValue(a.media, b.media)
    );
  return sameValue(a, b);
}
