import { bodyHash } from "./body-hash.ts";

/** Longer texts are worth a look whether they are there already (characters or bytes). */
const SHORT = 4_096;
/** More messages than these at once are mostly ones that were sent before, behind another beginning. */
const FEW = 8;

/**
 * Whether the text of a message stands in its row. Others stand apart under their hash, once for all messages that have
 * them; but to find a place for a hash is most of the work that a short text is.
 */
export function standsWithMessage(length: number, messages: number): boolean {
  return length <= SHORT && messages <= FEW;
}

/** The hash under which the text of a message stands apart, as one of so many new messages; null where it doesn't. */
export function placeOf(wire: string, messages: number): string | null {
  return standsWithMessage(wire.length, messages) ? null : bodyHash(wire);
}
