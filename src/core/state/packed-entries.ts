import type { EntryRange, PackedEdit, PackedEntry, StoredEdit } from "../types.ts";
import { isCount, isDropReason, isEditReason, isEntryRange, isInsertRole } from "./record-checks.ts";

/** Calls and results alternate, and so do their entries: groups of up to this many are told once. */
const LONGEST_GROUP = 4;
/** A group that comes again fewer times than this is written out. */
const LEAST_TIMES = 2;

/** Inserts that a checkpoint may have beyond one for each message. */
const MORE_INSERTS = 8;

/** The entries in short. `textAt` gives the place of a text by its hash. */
export function packEntries(
  entries: readonly EntryRange[],
  textAt: (hash: string) => number,
): readonly PackedEntry[] {
  return withoutRepetition(entries.map((entry) => packEntry(entry, textAt)));
}

/**
 * The entries as a checkpoint has them; undefined if they aren't entries of `length` messages. `hashAt` gives the hash of
 * a text by its place.
 */
export function unpackEntries(
  packed: readonly unknown[],
  length: number,
  hashAt: (text: number) => string | undefined,
): readonly EntryRange[] | undefined {
  const entries: EntryRange[] = [];
  const short: unknown[] = [];
  let next = 0;
  let inserts = 0;
  const add = (one: unknown): boolean => {
    const entry = unpackEntry(one, next, inserts, hashAt);
    if (!entry) return false;
    if (entry.type === "insert") inserts++;
    else next = entry.type === "edit" ? next + 1 : entry.to;
    entries.push(entry);
    short.push(one);
    // Every entry but an insert stands for a message, so a list that goes on and on is cut short here.
    return next <= length && inserts <= length + MORE_INSERTS;
  };
  for (const one of packed) {
    if (!Array.isArray(one) || one[0] !== "again") {
      if (!add(one)) return undefined;
      continue;
    }
    const [, count, times] = one as readonly unknown[];
    if (!isCount(count) || !isCount(times) || count < 1 || count > short.length) return undefined;
    const group = short.slice(-count);
    for (let time = 0; time < times; time++) if (!group.every(add)) return undefined;
  }
  return next === length ? entries : undefined;
}

function packEntry(entry: EntryRange, textAt: (hash: string) => number): PackedEntry {
  switch (entry.type) {
    case "keep":
      return hasOnly(entry, 3) ? entry.to - entry.from : entry;
    case "cover":
      return hasOnly(entry, 4) ? ["cover", entry.to - entry.from, entry.by] : entry;
    case "drop":
      return hasOnly(entry, 4) ? ["drop", entry.to - entry.from, entry.reason] : entry;
    case "insert": {
      const { text, role, merged } = entry;
      if (!hasOnly(entry, merged ? 5 : 4)) return entry;
      return merged ? ["insert", textAt(text), role, "merged"] : ["insert", textAt(text), role];
    }
    case "edit":
      return hasOnly(entry, 3) ? ["edit", ...entry.edits.map((edit) => packEdit(edit, textAt))] : entry;
    default:
      return entry satisfies never;
  }
}

function hasOnly(entry: object, fields: number): boolean {
  return Object.keys(entry).length === fields;
}

function packEdit(edit: StoredEdit, textAt: (hash: string) => number): PackedEdit {
  if (edit.type === "strip-reasoning" || edit.type === "strip-fields") return [edit.type, edit.why];
  if (edit.type === "append") return ["append", textAt(edit.text), edit.why];
  return [edit.part, edit.prefix, edit.suffix, textAt(edit.text), edit.why];
}

/** Entries that follow each other again and again are told once. */
function withoutRepetition(entries: readonly PackedEntry[]): readonly PackedEntry[] {
  const names = entries.map((entry) => JSON.stringify(entry));
  const short: PackedEntry[] = [];
  for (let at = 0; at < entries.length; ) {
    const best = longestRepetition(names, at);
    short.push(...entries.slice(at, at + best.size));
    if (best.times > 0) short.push(["again", best.size, best.times]);
    at += best.size * (best.times + 1);
  }
  return short;
}

function longestRepetition(
  names: readonly string[],
  at: number,
): { readonly size: number; readonly times: number } {
  for (let size = 1; size <= LONGEST_GROUP; size++) {
    let end = at + size;
    while (end < names.length && names[end] === names[end - size]) end++;
    const times = Math.floor((end - at) / size) - 1;
    if (times >= LEAST_TIMES) return { size, times };
  }
  return { size: 1, times: 0 };
}

/** The fields are in the order of their names, as in `canonicalJson`: a checkpoint is hashed with each `fit`, and needn't be sorted for that. */
function unpackEntry(
  packed: unknown,
  from: number,
  by: number,
  hashAt: (text: number) => string | undefined,
): EntryRange | undefined {
  if (isCount(packed)) return packed > 0 ? { from, to: from + packed, type: "keep" } : undefined;
  if (!Array.isArray(packed)) return isEntryRange(packed) ? packed : undefined;
  const [type, first, second, third] = packed as readonly unknown[];
  switch (type) {
    case "cover":
      if (!isCount(first) || first < 1 || !isCount(second)) return undefined;
      return { by: second, from, to: from + first, type };
    case "drop":
      if (!isCount(first) || first < 1 || !isDropReason(second)) return undefined;
      return { from, reason: second, to: from + first, type };
    case "insert": {
      const text = isCount(first) ? hashAt(first) : undefined;
      if (text === undefined || !isInsertRole(second)) return undefined;
      return { by, ...(third === "merged" && { merged: true }), role: second, text, type };
    }
    case "edit": {
      const edits = packed.slice(1).map((edit: unknown) => unpackEdit(edit, hashAt));
      return edits.every((edit) => edit !== undefined) ? { edits, index: from, type } : undefined;
    }
    default:
      return undefined;
  }
}

function unpackEdit(packed: unknown, hashAt: (text: number) => string | undefined): StoredEdit | undefined {
  if (!Array.isArray(packed)) return undefined;
  const [first, second, third, fourth, fifth] = packed as readonly unknown[];
  if (first === "strip-reasoning" || first === "strip-fields")
    return isEditReason(second) ? { type: first, why: second } : undefined;
  if (first === "append") {
    const text = isCount(second) ? hashAt(second) : undefined;
    return text !== undefined && isEditReason(third) ? { text, type: first, why: third } : undefined;
  }
  const text = isCount(fourth) ? hashAt(fourth) : undefined;
  if (!isCount(first) || !isCount(second) || !isCount(third) || text === undefined || !isEditReason(fifth))
    return undefined;
  return { part: first, prefix: second, suffix: third, text, type: "replace", why: fifth };
}
