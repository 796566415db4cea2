import { StoreError } from "../../core/errors.ts";

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
