import { FIRST_LINK, nextLink } from "../../core/chain.ts";
import { parseExact } from "../../core/exact-json.ts";
import { createTextHash } from "../../core/hash.ts";
import type { Dialect, Message } from "../../core/types.ts";
import { dialectById, dialects } from "../../dialects/dialect-by-id.ts";

/** Names the messages of one stored conversation anew, from its first message on. */
export interface NewNames {
  /** The name of the next message. One that isn't a name of older versions was given by somebody else, and stays. */
  next(message: { readonly hash: string; readonly wire: string }): string;
}

/** The hash of older versions. */
const OLD_NAME = /^[0-9a-f]{32}$/;

/** Undefined for a conversation of no known wire format: only who stored it knows what its messages are called. */
export function createNewNames(dialectId: string | undefined): NewNames | undefined {
  const isKnown = dialectId !== undefined && Object.hasOwn(dialects, dialectId);
  if (!isKnown) return undefined;
  const dialect = dialectById(dialectId);
  const textHash = createTextHash(MEMO_CHARACTERS);
  let link = FIRST_LINK;
  return {
    next({ hash, wire }) {
      link = nextLink(link, read(dialect, wire), textHash);
      return OLD_NAME.test(hash) ? link.hash : hash;
    },
  };
}

/** Long texts of one conversation that are remembered while it is read. */
const MEMO_CHARACTERS = 1_000_000;

/** A message that can't be read is named by its JSON. */
function read(dialect: Dialect<unknown>, wire: string): Message {
  try {
    return dialect.read(parseExact(wire));
  } catch {
    return { role: "user", parts: [{ type: "other", kind: "unreadable", json: wire }] };
  }
}
