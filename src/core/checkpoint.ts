import { keepNewest } from "./collections.ts";
import { type Draft, type Fate, type Insert, KEEP } from "./draft.ts";
import { editableParts, editableText } from "./edits.ts";
import { ConfigError } from "./errors.ts";
import { contentHash } from "./hash.ts";
import { isRecord } from "./json.ts";
import { CHARS_PER_TOKEN } from "./message-text.ts";
import { sameValue } from "./same-message.ts";
import type {
  BranchView,
  Checkpoint,
  Edit,
  EntryRange,
  Message,
  Run,
  StoredEdit,
  Summary,
  Undo,
} from "./types.ts";

/**
 * The immutable record of an applied compaction. Positions count from the first message after the leading system
 * messages, and stop at the last message that isn't a plain keep or that a summary was made from: what follows is kept
 * anyway, so it may still change.
 */
export function makeCheckpoint(options: {
  readonly draft: Draft;
  readonly messages: readonly Message[];
  readonly start: number;
  readonly chain: readonly string[];
  /** The system prompt before it, as JSON. */
  readonly head?: string | undefined;
  /** So many messages (after the leading system messages) its summaries were made from. Default 0. */
  readonly summarized?: number;
  readonly facts: Omit<Checkpoint, "id" | "hash" | "length" | "entries" | "texts" | "head">;
}): Checkpoint | undefined {
  const { draft, messages, start, chain, head, summarized = 0, facts } = options;
  const texts: Record<string, string> = {};
  const store = (text: string) => {
    const hash = contentHash(text);
    texts[hash] = text;
    return hash;
  };
  const changed = draft.fates.findLastIndex((fate, index) => index >= start && fate.type !== "keep");
  if (changed < 0) return undefined;
  const last = Math.max(changed, start + summarized - 1);
  const entries: EntryRange[] = draft.inserts.map((insert, by) => ({
    type: "insert",
    by,
    role: insert.message.role,
    text: store(insert.message.text),
    ...(insert.merged && { merged: insert.merged }),
    ...(insert.before !== undefined && { before: insert.before - start }),
  }));
  for (let index = start; index <= last; index++) {
    const fate = draft.fates[index]!;
    const at = index - start;
    if (fate.type === "edit") {
      const edits = fate.edits.map((edit) => storeEdit(edit, messages[index]!, store));
      entries.push({ type: "edit", index: at, edits });
      continue;
    }
    const previous = entries.at(-1);
    if (previous && "to" in previous && previous.to === at && sameFate(previous, fate)) {
      entries[entries.length - 1] = { ...previous, to: at + 1 };
    } else entries.push({ ...fate, from: at, to: at + 1 });
  }
  const length = last - start + 1;
  const named = head === undefined ? {} : { head: store(head) };
  const json = canonicalJson({ hash: chain[length]!, length, ...facts, ...named, entries });
  return { id: contentHash(json), ...(JSON.parse(json) as Omit<Checkpoint, "id" | "texts">), texts };
}

/** Hashes of the texts that entries insert, and of those of their edits. */
export function textsIn(entries: readonly EntryRange[]): ReadonlySet<string> {
  const hashes = new Set<string>();
  for (const entry of entries) {
    if (entry.type === "insert") hashes.add(entry.text);
    else if (entry.type === "edit") for (const edit of entry.edits) if ("text" in edit) hashes.add(edit.text);
  }
  return hashes;
}

/** Copies of records that were found genuine lately: to hash all of them takes longer than all else that a `fit` does with them. */
const genuine = new Map<string, Checkpoint>();
const MOST_GENUINE = 100;

/** Is the record what its id and the hashes of its texts say? One that was cut, damaged or tampered with is not. */
export function isGenuine(checkpoint: Checkpoint): boolean {
  const { id, texts, ...body } = checkpoint;
  // That of a state is without the system prompt, so the same one is another record in a store.
  const key = `${id} ${Object.keys(texts).length}`;
  // By all that it says, never by being the same object: hosts may change theirs.
  if (sameValue(genuine.get(key), checkpoint)) return true;
  const json = JSON.stringify(body);
  const isTrue =
    // Records keep the order of their fields on most ways, and then the slow way isn't needed.
    (id === contentHash(json) || id === contentHash(canonicalJson(body))) &&
    Object.entries(texts).every(([hash, text]) => typeof text === "string" && contentHash(text) === hash);
  if (isTrue)
    keepNewest(genuine, key, { ...(JSON.parse(json) as typeof body), id, texts: { ...texts } }, MOST_GENUINE);
  return isTrue;
}

/** The same checkpoint, applied again later: under its old name it may have been undone. */
export function appliedAgain({ id: _, texts, ...body }: Checkpoint, at: number): Checkpoint {
  return { id: contentHash(canonicalJson({ ...body, at })), ...body, at, texts };
}

/** JSON with sorted keys: databases give objects back in another order. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function sameFate(range: EntryRange, fate: Fate): boolean {
  if (range.type !== fate.type) return false;
  if (range.type === "cover" && fate.type === "cover") return range.by === fate.by;
  if (range.type === "drop" && fate.type === "drop") return range.reason === fate.reason;
  return true;
}

function storeEdit(edit: Edit, message: Message, store: (text: string) => string): StoredEdit {
  if (edit.type === "strip-reasoning" || edit.type === "strip-fields") return edit;
  if (edit.type === "append") return { ...edit, text: store(edit.text) };
  const original = originalText(message, edit.part);
  let prefix = 0;
  while (prefix < edit.text.length && edit.text.charCodeAt(prefix) === original.charCodeAt(prefix)) prefix++;
  let suffix = 0;
  const most = Math.min(edit.text.length, original.length) - prefix;
  while (
    suffix < most &&
    edit.text.charCodeAt(edit.text.length - 1 - suffix) === original.charCodeAt(original.length - 1 - suffix)
  ) {
    suffix++;
  }
  const text = store(edit.text.slice(prefix, edit.text.length - suffix));
  return { type: "replace", part: edit.part, prefix, suffix, text, why: edit.why };
}

function originalText(message: Message, part: number): string {
  const found = editableParts(message)[part];
  return (found && editableText(found)) ?? "";
}

/**
 * The checkpoint's view of a longer transcript: its own entries, then `keep` of everything newer. Undefined if the record
 * doesn't fit the transcript or contradicts itself (a damaged state is ignored, never believed).
 */
export function restoreDraft(
  checkpoint: Checkpoint,
  messages: readonly Message[],
  start: number,
): Draft | undefined {
  const fates: Fate[] = new Array<Fate>(messages.length).fill(KEEP);
  const inserts: Insert[] = [];
  let next = 0;
  try {
    for (const range of checkpoint.entries) {
      switch (range.type) {
        case "insert": {
          const text = textOf(checkpoint, range.text);
          if (text === undefined || range.by !== inserts.length) return undefined;
          inserts.push({
            message: { role: range.role, text },
            ...(range.merged && { merged: range.merged }),
            ...(range.before !== undefined && { before: start + range.before }),
          });
          break;
        }
        case "edit": {
          const message = messages[start + range.index];
          if (range.index !== next || !message) return undefined;
          const edits = restoreEdits(range.edits, message, (hash) => textOf(checkpoint, hash));
          if (!edits) return undefined;
          fates[start + range.index] = { type: "edit", edits };
          next++;
          break;
        }
        case "keep":
        case "cover":
        case "drop": {
          if (range.from !== next || !(range.to > range.from)) return undefined;
          if (range.type === "cover" && !inserts[range.by]) return undefined;
          const fate: Fate =
            range.type === "cover"
              ? { type: "cover", by: range.by }
              : range.type === "drop"
                ? { type: "drop", reason: range.reason }
                : KEEP;
          fates.fill(fate, start + range.from, start + range.to);
          next = range.to;
          break;
        }
        default:
          return undefined;
      }
    }
  } catch {
    return undefined;
  }
  if (next !== checkpoint.length || start + next > messages.length) return undefined;
  const draft = { fates, inserts };
  return isPlaced(draft, { from: start, to: start + next }) ? draft : undefined;
}

/** Does each insert either speak for messages or stand between those of the run? */
function isPlaced({ fates, inserts }: Draft, { from, to }: Run): boolean {
  const speaking = new Set<number>();
  for (let index = 0; index < fates.length; index++) {
    const fate = fates[index]!;
    if (fate.type === "cover") speaking.add(fate.by);
  }
  return inserts.every(({ before }, by) =>
    before === undefined
      ? speaking.has(by)
      : !speaking.has(by) && Number.isInteger(before) && before >= from && before <= to,
  );
}

function restoreEdits(
  edits: readonly StoredEdit[],
  message: Message,
  textAt: (hash: string) => string | undefined,
): Edit[] | undefined {
  const restored: Edit[] = [];
  for (const edit of edits) {
    if (edit.type === "strip-reasoning" || edit.type === "strip-fields") {
      restored.push({ type: edit.type, why: edit.why });
      continue;
    }
    const text = textAt(edit.text);
    if (text === undefined) return undefined;
    if (edit.type === "append") {
      restored.push({ type: "append", text, why: edit.why });
      continue;
    }
    const part = editableParts(message)[edit.part];
    if (!part || (part.type !== "text" && "locked" in part && part.locked)) return undefined;
    const original = editableText(part) ?? "";
    if (edit.prefix + edit.suffix > original.length) return undefined;
    const whole = `${original.slice(0, edit.prefix)}${text}${original.slice(original.length - edit.suffix)}`;
    restored.push({ type: "replace", part: edit.part, text: whole, why: edit.why });
  }
  return restored;
}

/** A text of a checkpoint by its hash. Names such as `constructor` are no hashes, though every object knows them. */
export function textOf({ texts }: Pick<Checkpoint, "texts">, hash: string): string | undefined {
  return Object.hasOwn(texts, hash) ? texts[hash] : undefined;
}

/** The newest genuine checkpoint that this transcript still begins with. */
export function findCheckpoint(options: {
  readonly checkpoints: readonly Checkpoint[];
  readonly undos: readonly Undo[];
  readonly chain: readonly string[];
  readonly dialect: string;
  readonly strategy: string;
  /** Views that were made last, of this branch of the chat and of others: those of others say nothing. */
  readonly shown?: readonly BranchView[];
}): Checkpoint | undefined {
  const { checkpoints, undos, chain, dialect, strategy, shown = [] } = options;
  const undone = new Set(undos.map((undo) => undo.checkpoint));
  const fitting = checkpoints
    .filter(
      (one) =>
        one.dialect === dialect &&
        one.strategy === strategy &&
        !undone.has(one.id) &&
        one.length > 0 &&
        chain[one.length] === one.hash,
    )
    .sort(newestFirst);
  const isExtended = ({ length, hash }: BranchView): boolean => chain[length] === hash;
  // The newest view of this very branch of the chat.
  const last = shown.filter(isExtended).sort((a, b) => b.length - a.length)[0];
  const lastStoodOn = checkpoints.find(({ id }) => id === last?.checkpoint);
  const knowsLast = last !== undefined && (last.checkpoint === undefined || lastStoodOn !== undefined);
  const reached = (older: Checkpoint): number => {
    if (last && lastStoodOn === older) return last.length;
    return sawOther(older, chain) ? older.length : older.seen.length;
  };
  // A transcript only grows: whoever compacted it later, and had fewer messages than it had reached by then, compacted a fork of it.
  const isOfFork = (one: Checkpoint): boolean =>
    (knowsLast &&
      one !== lastStoodOn &&
      !(lastStoodOn && one.at <= lastStoodOn.at) &&
      sawOther(one, chain)) ||
    fitting.some((older) => older.at < one.at && reached(older) > one.seen.length && isGenuine(older));
  return fitting.find((one) => isGenuine(one) && !isOfFork(one));
}

/** Was it made of a transcript that this one doesn't begin with? */
export function sawOther({ seen: { hash, length } }: Checkpoint, chain: readonly string[]): boolean {
  return chain[length] !== hash;
}

function newestFirst(a: Checkpoint, b: Checkpoint): number {
  return b.at - a.at || b.length - a.length || (a.id < b.id ? 1 : -1);
}

/** What shows that a summary's text is the one that was written. */
export function summaryProof(key: string, text: string, notes?: string): string {
  return contentHash(notes === undefined ? `${key}\n${text}` : `${key}\n${text}\n${notes}`);
}

/**
 * A summary in the user's own words: a new record beside the old one, which stays as it is. Put it into a store, or into
 * the `summaries` of a state. It speaks for its messages from the next compaction on, word for word, until the user edits it
 * again or has them summarised anew.
 *
 * @example
 * ```ts
 * import { editedSummary, memoryStore, type Summary } from "precis";
 *
 * export async function correct(summary: Summary, text: string) {
 *   await memoryStore().save({ summaries: [editedSummary(summary, { text, now: Date.now() })] });
 * }
 * ```
 */
export function editedSummary(
  summary: Summary,
  edit: {
    readonly text: string;
    readonly now: number;
    /** How long the text is. Default: characters ÷ 4. */
    readonly tokens?: number;
  },
): Summary {
  const text = edit.text.trim();
  if (text === "") {
    throw new ConfigError({
      option: "text",
      message: "the edited summary is empty.",
      fix: "Write something, or undo the compaction to see the messages again.",
    });
  }
  const key = contentHash(JSON.stringify([summary.key, "edited", edit.now, text]));
  // What the model noted says what this person may just have taken out.
  const { anew: _, notes: __, ...rest } = summary;
  return {
    ...rest,
    key,
    text,
    author: "user",
    tokens: { ...summary.tokens, text: edit.tokens ?? Math.ceil(text.length / CHARS_PER_TOKEN) },
    at: edit.now,
    proof: summaryProof(key, text),
  };
}
