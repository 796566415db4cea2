import { isRecord } from "../../core/json.ts";
import type { Dialect, Edit, Message, Part } from "../../core/types.ts";
import { type EditCursor, editCursor } from "./edit.ts";
import { hasChatFields, malformed, otherDialectFix, unknownPart } from "./reading.ts";
import { reasoningOf } from "./reasoning.ts";

type Wire = Record<string, unknown>;

/** What one format of messages has of its own. */
interface Format<M, S> extends Pick<Dialect<M, S>, "id" | "rules" | "write" | "marks"> {
  /** What is expected where no object is, in an error. */
  readonly message?: string;
  /** What a message says, without precis's marker. */
  read(wire: Wire): Message;
  /** Default: the field `precis`. */
  markerOf?(wire: Wire): unknown;
  /** Carries out what the cursor hands it. */
  edit(message: M, cursor: EditCursor, before: Message): M;
  /** Is a field for user interfaces alone? No request may have it. */
  isForInterface(name: string): boolean;
  unmarked?(message: M): M;
}

/** The dialect of a format: its own reading and editing, and what is the same work in all of them. */
export function dialectOf<M extends object, S>(format: Format<M, S>): Dialect<M, S> {
  const { id, rules, write, marks, isForInterface, unmarked = withoutMarker } = format;
  const read = (wire: unknown): Message => {
    if (!isRecord(wire))
      throw malformed({ dialect: id, expected: format.message ?? "a message object", found: wire });
    return withMarker(format.read(wire), format.markerOf ? format.markerOf(wire) : wire.precis);
  };
  return {
    id,
    rules,
    reasoningOf,
    read,
    edit(message, edits) {
      const others = edits.filter(({ type }: Edit) => type !== "strip-fields");
      const cursor = editCursor(id, others);
      const made = format.edit(message, cursor, read(message));
      cursor.done();
      const edited = sameFields(message, made) ? message : made;
      return others.length === edits.length ? edited : withoutFields(edited, isForInterface);
    },
    unmarked,
    write,
    ...(marks && { marks }),
  };
}

/** The message with what precis's marker says (`precis: { pin: true }`, `precis: { knowledge: true }`). */
export function withMarker(message: Message, marker: unknown): Message {
  if (!isRecord(marker)) return message;
  return {
    ...message,
    ...(marker.pin === true ? { pinned: true } : {}),
    ...(marker.knowledge === true ? { knowledge: true } : {}),
  };
}

/** The message without the marker, which providers refuse; the same object if it has none. */
export function withoutMarker<M extends object>(message: M): M {
  if (!isRecord(message) || !("precis" in message)) return message;
  const { precis: _, ...rest } = message;
  return rest as M;
}

/** Whether two objects hold the very same fields: an edit that changed nothing returns its input. */
export function sameFields(before: object, after: object): boolean {
  const a = before as Readonly<Wire>;
  const b = after as Readonly<Wire>;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && a[key] === b[key]);
}

/** The message without the fields that `isForInterface` names; the same object if it has none of them. */
function withoutFields<M extends object>(message: M, isForInterface: (name: string) => boolean): M {
  const fields = Object.entries(message);
  const kept = fields.filter(([name]) => !isForInterface(name));
  return kept.length === fields.length ? message : (Object.fromEntries(kept) as M);
}

/**
 * Fields that user interfaces and frameworks keep with their messages. No API has them in a request, and strict ones refuse them.
 * Whatever else isn't known stays: servers add fields of their own and want them back.
 */
export const INTERFACE_FIELDS: ReadonlySet<string> = new Set([
  ...["createdAt", "created_at", "updatedAt", "updated_at", "timestamp", "parts", "metadata", "attachments"],
  ...["experimental_attachments", "toolInvocations", "revisionId", "precis"],
]);

/** The parts of a message that says everything in its `content`: a text, or a list. */
export function contentParts(dialect: string, wire: Wire, readPart: (part: unknown) => Part): Part[] {
  const { content } = wire;
  if (hasChatFields(wire))
    throw malformed({ dialect, expected: "a message whose `content` says everything", found: wire });
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (Array.isArray(content)) return content.map(readPart);
  throw malformed({
    dialect,
    expected: "`content` to be a string or an array of parts",
    found: content,
    fix: otherDialectFix(dialect, wire),
  });
}

/** A part that says by its `type` what it is. What the format doesn't know passes through, unless it is a part of another one. */
export function typedPart(dialect: string, part: unknown, known: (part: Wire) => Part | undefined): Part {
  if (!isRecord(part) || typeof part.type !== "string")
    throw malformed({ dialect, expected: "a content part to be an object with a `type`", found: part });
  return known(part) ?? unknownPart(dialect, part);
}
