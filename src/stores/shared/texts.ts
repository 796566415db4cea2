import { StoreError } from "../../core/errors.ts";
import { firstCharacters } from "../../core/first-characters.ts";

/** Characters of a name at most: two of them still fit into one index entry of every database. */
const MAX_CHARACTERS = 256;

/** Why a name is none that every database can hold, and what to do about it; undefined if it is one. */
export function nameFault(
  name: string,
  most = MAX_CHARACTERS,
): { readonly fault: string; readonly fix: string } | undefined {
  const fault =
    typeof name !== "string" || name === ""
      ? "is empty"
      : name.length > most
        ? `has ${name.length} characters`
        : name.includes("\0") || !name.isWellFormed()
          ? "has characters that can't be stored"
          : undefined;
  return fault === undefined
    ? undefined
    : { fault, fix: `Use 1 to ${most} characters of valid Unicode, without NUL.` };
}

/** Names that callers choose (tenants, sessions, ids, leases) must be something that every database can hold. */
export function checkName(operation: string, what: string, name: string): string {
  const wrong = nameFault(name);
  if (wrong) throw new StoreError({ operation, message: `the ${what} ${wrong.fault}.`, fix: wrong.fix });
  return name;
}

/** Characters of a title at most. */
const MAX_TITLE = 500;

/** A text that every database can hold. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}

/** Single spaces, of which there are many, are no match: replacing them by themselves is most of the work. */
export function inOneLine(text: string): string {
  return text.replace(/\s\s+|[^\S ]/g, " ").trim();
}

/** A title on one line, of bounded length. */
export function cleanTitle(title: string): string {
  return firstCharacters(inOneLine(cleanText(title)), MAX_TITLE);
}
