import { StoreError } from "../../core/errors.ts";

/** Characters of a name at most: two of them still fit into one index entry of every database. */
const MAX_CHARACTERS = 256;

/** Names that callers choose (tenants, sessions, ids, leases) must be something that every database can hold. */
export function checkName(operation: string, what: string, name: string): string {
  const fault =
    typeof name !== "string" || name === ""
      ? "is empty"
      : name.length > MAX_CHARACTERS
        ? `has ${name.length} characters`
        : name.includes("\0") || !name.isWellFormed()
          ? "has characters that can't be stored"
          : undefined;
  if (fault === undefined) return name;
  throw new StoreError({
    operation,
    message: `the ${what} ${fault}.`,
    fix: `Use 1 to ${MAX_CHARACTERS} characters of valid Unicode.`,
  });
}
