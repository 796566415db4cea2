import { TranscriptError } from "../../core/errors.ts";
import { cutTo } from "../../core/first-characters.ts";
import { isRecord } from "../../core/is-record.ts";
import type { Role } from "../../core/types.ts";
import { otherDialectFix, otherPartFix } from "./other-dialect.ts";

/** Keys named in an error text; more would bury the message. */
const MAX_KEYS_SHOWN = 6;

/** Characters of a role named in an error text. */
const MAX_ROLE_SHOWN = 40;

const FIX = "Pass the messages as they are sent to the provider, or choose the dialect that they are in.";

/** What a value is, in words for an error text. Never its content, which may be private. */
function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "undefined";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "string") return `a string of ${value.length} characters`;
  if (typeof value === "object") {
    const keys = Object.keys(value);
    if (keys.length === 0) return "an object without fields";
    const more = keys.length > MAX_KEYS_SHOWN ? ", …" : "";
    return `an object with the fields ${keys.slice(0, MAX_KEYS_SHOWN).join(", ")}${more}`;
  }
  return `a ${typeof value}`;
}

/** The error for a message with a role that the format doesn't have. A role is no private content, so it is named. */
export function malformedRole(fields: {
  dialect: string;
  roles: readonly string[];
  wire: Record<string, unknown>;
}): TranscriptError {
  const { role } = fields.wire;
  const expected = `\`role\` to be one of ${fields.roles.join(", ")}`;
  if (typeof role !== "string") {
    return malformed({
      dialect: fields.dialect,
      expected: `a message with a \`role\` (${fields.roles.join(", ")})`,
      found: fields.wire,
    });
  }
  const found = cutTo(role, MAX_ROLE_SHOWN);
  return wrong(fields.dialect, expected, `"${found}"`, otherDialectFix(fields.dialect, fields.wire));
}

/** The role of a message, by the names that the format has for roles. Throws for any other. */
export function roleIn(
  dialect: string,
  roles: Readonly<Record<string, Role>>,
  wire: Record<string, unknown>,
): Role {
  const name = wire.role;
  const role = typeof name === "string" && Object.hasOwn(roles, name) ? roles[name] : undefined;
  if (role !== undefined) return role;
  throw malformedRole({ dialect, roles: Object.keys(roles), wire });
}

/** The error for something that isn't a message of the format. */
export function malformed(fields: {
  dialect: string;
  expected: string;
  found: unknown;
  fix?: string | undefined;
}): TranscriptError {
  const fix = fields.fix ?? otherDialectFix(fields.dialect, fields.found);
  return wrong(fields.dialect, fields.expected, describeValue(fields.found), fix);
}

/** Throws if a part that the format doesn't know is one of another format. Whatever else it is passes through. */
export function refuseOtherPart(dialect: string, part: unknown): void {
  const fix = otherPartFix(dialect, part);
  if (fix === undefined) return;
  const type = isRecord(part) ? String(part.type) : "";
  throw wrong(dialect, "parts of its own format", `one of type \`${type}\``, fix);
}

function wrong(dialect: string, expected: string, found: string, fix = FIX): TranscriptError {
  return new TranscriptError({ message: `${dialect}: expected ${expected}, found ${found}.`, fix });
}
