import { ConfigError } from "../core/errors.ts";
import { firstCharacters } from "../core/first-characters.ts";
import type { Run } from "../core/types.ts";

/** Which messages to read back: `"#12–18"`, `"#12"`, an id of a message or a call, or what stands around a message. */
export type ReadWhat =
  | string
  | { readonly id: string }
  | {
      /** Place of the message, from 0. */
      readonly around: number;
      /** Messages before and after it. Default 2. */
      readonly messages?: number;
    };

/** How messages are named, for whoever named none that is there. */
export const READ_FORMS = "Give one (#12), several (#12–18), or the id of a message or of a tool call.";

const POINTER = /^\s*#?(\d{1,9})(?:\s*[–—-]\s*#?(\d{1,9}))?\s*$/;
const DEFAULT_AROUND = 2;
/** So much of a wrong pointer is repeated (characters). */
const MAX_SHOWN = 60;

/** What somebody typed, as a pointer or as an id that may not be there. */
export function typedWhat(text: string): ReadWhat {
  return POINTER.test(text) ? text : { id: text };
}

/** The messages that are meant. Empty if there are none such. */
export function readRange(what: ReadWhat, length: number, find: (id: string) => number | undefined): Run {
  const run = (from: number, to: number): Run => {
    const start = Math.min(Math.max(0, from), length);
    return { from: start, to: Math.max(start, Math.min(length, to)) };
  };
  if (typeof what === "object" && what !== null && "around" in what) {
    const { around, messages = DEFAULT_AROUND } = what;
    if (!Number.isInteger(around) || !(messages >= 0))
      throw refused("`around` isn't the place of a message.", "Give `{ around: 11, messages: 2 }`.");
    return run(around - messages, around + messages + 1);
  }
  const pointer = typeof what === "string" ? POINTER.exec(what) : null;
  if (pointer) {
    const from = Number(pointer[1]);
    return run(from - 1, Number(pointer[2] ?? from));
  }
  const id = typeof what === "string" ? what : (what as { readonly id?: unknown } | null | undefined)?.id;
  if (typeof id !== "string" || id === "")
    throw refused("it names no message.", 'Give a pointer such as "#12–18", or an id.');
  const at = find(id);
  // `{ id }` is one that may be gone; a text that is neither pointer nor id is a mistake.
  if (at === undefined && typeof what === "string")
    throw refused(`"${firstCharacters(id, MAX_SHOWN)}" is no message of this conversation.`, READ_FORMS);
  return at === undefined ? run(0, 0) : run(at, at + 1);
}

function refused(message: string, fix: string): ConfigError {
  return new ConfigError({ option: "read", message, fix });
}
