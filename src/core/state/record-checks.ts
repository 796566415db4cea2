import { EDIT_REASONS } from "../edit-reasons.ts";
import { isRecord } from "../is-record.ts";
import type {
  DropReason,
  EditReason,
  EntryRange,
  InsertMessage,
  StateCheckpoint,
  StoredEdit,
  Summary,
  Undo,
} from "../types.ts";

/**
 * What a record from outside must look like before anything reads it. Only an object's own fields count: a name such as
 * `constructor` is none of them.
 */

const DROP_REASONS: Readonly<Record<DropReason, true>> = {
  orphan: true,
  budget: true,
  strategy: true,
  empty: true,
  reasoning: true,
};
const INSERT_ROLES: Readonly<Record<InsertMessage["role"], true>> = {
  user: true,
  system: true,
  assistant: true,
};

/** No record of ours is nested deeper than this; one that goes down thousands of levels would end in a stack overflow. */
const MOST_LEVELS = 8;

export function isShallow(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels <= 0) return false;
  if (!Array.isArray(value)) {
    for (const inner of Object.values(value)) if (!isShallow(inner, levels - 1)) return false;
    return true;
  }
  for (let at = 0; at < value.length; at++) {
    // Checks of a list's items pass over holes, which JSON doesn't have.
    if (value[at] === undefined && !Object.hasOwn(value, at)) return false;
    if (!isShallow(value[at], levels - 1)) return false;
  }
  return true;
}

/** A whole number from 0 on. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isDropReason(value: unknown): value is DropReason {
  return isText(value) && Object.hasOwn(DROP_REASONS, value);
}

function isEditReason(value: unknown): value is EditReason {
  return isText(value) && Object.hasOwn(EDIT_REASONS, value);
}

function isInsertRole(value: unknown): value is InsertMessage["role"] {
  return isText(value) && Object.hasOwn(INSERT_ROLES, value);
}

/** Has it the shape of a checkpoint in a state? Whether its entries fit a transcript is seen where they are restored. */
export function isStateCheckpoint(value: unknown): value is StateCheckpoint {
  if (!isRecord(value)) return false;
  const { tokens, seen, entries } = value;
  return (
    Array.isArray(entries) &&
    entries.every(isEntryRange) &&
    ["id", "hash", "dialect", "strategy", "reason", "rung"].every((name) => isText(value[name])) &&
    isCount(value["length"]) &&
    isCount(value["sealed"]) &&
    Number.isFinite(value["budget"]) &&
    Number.isFinite(value["at"]) &&
    (value["limit"] === undefined || Number.isFinite(value["limit"])) &&
    isRecord(tokens) &&
    Number.isFinite(tokens["before"]) &&
    Number.isFinite(tokens["after"]) &&
    isRecord(seen) &&
    isCount(seen["messages"]) &&
    isCount(seen["turns"]) &&
    isText(seen["hash"]) &&
    isCount(seen["length"]) &&
    (value["head"] === undefined || isText(value["head"]))
  );
}

function isEntryRange(value: unknown): value is EntryRange {
  if (!isRecord(value)) return false;
  const { type, from, to, index } = value;
  switch (type) {
    case "keep":
    case "cover":
    case "drop":
      return (
        isCount(from) &&
        isCount(to) &&
        from < to &&
        (type !== "cover" || isCount(value["by"])) &&
        (type !== "drop" || isDropReason(value["reason"]))
      );
    case "edit":
      return isCount(index) && Array.isArray(value["edits"]) && value["edits"].every(isStoredEdit);
    case "insert":
      return (
        isCount(value["by"]) &&
        isInsertRole(value["role"]) &&
        isText(value["text"]) &&
        (value["before"] === undefined || isCount(value["before"]))
      );
    default:
      return false;
  }
}

function isStoredEdit(value: unknown): value is StoredEdit {
  if (!isRecord(value) || !isEditReason(value["why"])) return false;
  if (value["type"] === "strip-reasoning" || value["type"] === "strip-fields") return true;
  if (!isText(value["text"])) return false;
  if (value["type"] === "append") return true;
  return (
    value["type"] === "replace" &&
    isCount(value["part"]) &&
    isCount(value["prefix"]) &&
    isCount(value["suffix"])
  );
}

/** A summary in the right shape; whether its text is the one that was written is for its proof to say. */
export function isSummary(value: unknown): value is Summary {
  if (!isRecord(value)) return false;
  const { covers, tokens } = value;
  return (
    ["key", "text", "hash", "prompt", "model", "proof"].every((name) => isText(value[name])) &&
    (value["author"] === "model" || value["author"] === "user") &&
    (value["notes"] === undefined || isText(value["notes"])) &&
    (value["anew"] === undefined || value["anew"] === true) &&
    (value["unproven"] === undefined || value["unproven"] === true) &&
    isRecord(covers) &&
    isCount(covers["from"]) &&
    isCount(covers["to"]) &&
    isCount(value["level"]) &&
    Number.isFinite(value["at"]) &&
    isRecord(tokens) &&
    Number.isFinite(tokens["source"]) &&
    Number.isFinite(tokens["text"])
  );
}

export function isUndo(value: unknown): value is Undo {
  return (
    isRecord(value) &&
    isText(value["checkpoint"]) &&
    Number.isFinite(value["at"]) &&
    Number.isFinite(value["pressure"]) &&
    (value["why"] === undefined || value["why"] === "larger-budget")
  );
}
