import { hash } from "node:crypto";
import type { TextPlaces } from "../shared/place-texts.ts";

/** Longer texts are worth a look whether they are there already (characters). */
const SHORT = 4_096;
/** More messages than these at once are mostly ones that were sent before, behind another beginning. */
const FEW = 8;

/** Cryptographic: text of strangers (a web page in a tool result) ends up in it, and none may stand in for another's. */
export function bodyHash(wire: string): string {
  return hash("sha256", wire, "base64url");
}

/**
 * A short text stands in the row of its message. Others are bodies under their hash, once for all messages that have them;
 * but to find a place for a hash is most of the work that a short text is.
 */
export const TEXT_PLACES: TextPlaces = {
  addressOf: bodyHash,
  standsWithMessage: (length, messages) => length <= SHORT && messages <= FEW,
};
