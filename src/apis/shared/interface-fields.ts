import type { Dialect, Edit } from "../../core/types.ts";

/**
 * Fields that user interfaces and frameworks keep with their messages. No API has them in a request, and strict ones refuse them.
 * Whatever else isn't known stays: servers add fields of their own and want them back.
 */
export const INTERFACE_FIELDS: ReadonlySet<string> = new Set([
  "createdAt",
  "created_at",
  "updatedAt",
  "updated_at",
  "timestamp",
  "parts",
  "metadata",
  "attachments",
  "experimental_attachments",
  "toolInvocations",
  "revisionId",
  "precis",
]);

/** The message without the fields that `isForInterface` names; the same object if it has none of them. */
function withoutFields<M extends object>(message: M, isForInterface: (name: string) => boolean): M {
  const fields = Object.entries(message);
  const kept = fields.filter(([name]) => !isForInterface(name));
  return kept.length === fields.length ? message : (Object.fromEntries(kept) as M);
}

/** A dialect's `edit`, and the edit `strip-fields`, which is the same work in every format. */
export function withFieldEdit<M extends object>(
  edit: Dialect<M>["edit"],
  isForInterface: (name: string) => boolean,
): Dialect<M>["edit"] {
  return (message, edits) => {
    const others = edits.filter((one: Edit) => one.type !== "strip-fields");
    const edited = edit(message, others);
    return others.length === edits.length ? edited : withoutFields(edited, isForInterface);
  };
}
