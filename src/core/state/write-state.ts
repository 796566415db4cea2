import { textOf, textsIn } from "../checkpoint.ts";
import { onceFor } from "../collections.ts";
import type { Checkpoint, State, StateCheckpoint, Summary } from "../types.ts";
import type { Remembered, StateContext } from "./read-state.ts";
import { MAX_CHECKPOINTS, MAX_READ, signState } from "./read-state.ts";

/** Summaries that a state carries at most, beside those that are in use: more than eight of each of eight levels never are. */
const MAX_SUMMARIES = 64;
/** Above this size what isn't in use leaves (characters of JSON). */
const LIMIT = 64 * 1024;

/** Records of the state in use. */
export interface StateWriting {
  readonly chain: StateContext["chain"];
  /** Keys of the summaries that the next compaction goes on from. */
  readonly inUse: ReadonlySet<string>;
  /** Signs the state. Left out: it isn't signed, and what only a signed one may hold is left out. */
  readonly key?: string | undefined;
}

/**
 * The state to hand out. The newest checkpoint, the one that the view stands on, and the summaries in use are always in
 * it, whatever their size; of the others the newest, as far as the limit goes. They can be made again.
 */
export function writeState(remembered: Remembered, writing: StateWriting): State {
  const { last } = remembered;
  const branches = remembered.branches.slice(-MAX_CHECKPOINTS);
  const head = writing.key === undefined ? undefined : remembered.head;
  const { chain } = writing;
  const chosen = {
    checkpoints: [] as Checkpoint[],
    texts: new Map<string, string>(),
    summaries: new Set<Summary>(),
  };
  let size = head?.length ?? 0;
  const add = (record: Checkpoint | Summary, most: number) => {
    const texts = "entries" in record ? ownTexts(record).filter(([hash]) => !chosen.texts.has(hash)) : [];
    const added = texts.reduce((sum, [, text]) => sum + text.length, sizeOf(record));
    if (size + added > most) return;
    size += added;
    for (const [hash, text] of texts) chosen.texts.set(hash, text);
    if ("entries" in record) chosen.checkpoints.push(record);
    else chosen.summaries.add(record);
  };
  const newestSummaries = [...remembered.summaries].sort((a, b) => b.at - a.at);
  for (const one of newestSummaries) if (writing.inUse.has(one.key)) add(one, Number.POSITIVE_INFINITY);
  const own = remembered.checkpoints.filter((one) => chain[one.length] === one.hash).sort(newestFirst);
  const [newestOwn] = own;
  const candidates = [...own, ...remembered.elsewhere].sort(newestFirst);
  const needed = (one: { readonly id: string }) => one === newestOwn || one.id === last?.checkpoint;
  const elsewhere = new Set(branches.map(({ checkpoint }) => checkpoint));
  const rank = (one: { readonly id: string }) => (needed(one) ? 0 : elsewhere.has(one.id) ? 1 : 2);
  for (const one of candidates.sort((a, b) => rank(a) - rank(b) || newestFirst(a, b))) {
    if (chosen.checkpoints.length >= MAX_CHECKPOINTS) break;
    add(one, needed(one) ? Number.POSITIVE_INFINITY : LIMIT);
  }
  for (const one of newestSummaries)
    if (chosen.summaries.size < MAX_SUMMARIES && !chosen.summaries.has(one)) add(one, LIMIT);
  const ids = new Set(chosen.checkpoints.map(({ id }) => id));
  const recalled = remembered.recalled.filter(({ checkpoint }) => ids.has(checkpoint)).slice(-MAX_READ);
  // Hosts may change what they are handed out; the records themselves stay as they are.
  const state = copyData({
    version: 2,
    checkpoints: chosen.checkpoints
      .sort(newestFirst)
      .reverse()
      .map(({ texts: _, ...checkpoint }): StateCheckpoint => checkpoint),
    texts: Object.fromEntries(chosen.texts),
    summaries: [...chosen.summaries].sort((a, b) => a.at - b.at).map((one) => asWritten(one, writing)),
    undos: remembered.undos.filter((undo) => ids.has(undo.checkpoint)),
    ...(head !== undefined && { head }),
    ...(last && { last }),
    ...(branches.length > 0 && { branches }),
    ...(remembered.answers.length > 0 && { answers: remembered.answers.slice(-MAX_CHECKPOINTS) }),
    ...(recalled.length > 0 && { recalled }),
  } as const);
  return writing.key === undefined ? state : signState(state, writing.key);
}

/** Without a signature nothing in a state is proven, so it needn't be said of one record. */
function asWritten(summary: Summary, { key }: StateWriting): Summary {
  if (key !== undefined || !summary.unproven) return summary;
  const { unproven: _, ...rest } = summary;
  return rest;
}

/** Without the system prompt: it stands in a signed state once, and in no other. */
function ownTexts(checkpoint: Checkpoint): readonly (readonly [hash: string, text: string])[] {
  return [...textsIn(checkpoint.entries)].flatMap((hash) => {
    const text = textOf(checkpoint, hash);
    return text === undefined ? [] : [[hash, text] as const];
  });
}

/** Characters of a record as JSON, the texts of a checkpoint left out. Records never change. */
const sizeOf = onceFor(
  (record: Checkpoint | Summary): number => JSON.stringify({ ...record, texts: undefined }).length,
);

function newestFirst(a: Pick<Checkpoint, "at" | "length">, b: Pick<Checkpoint, "at" | "length">): number {
  return b.at - a.at || b.length - a.length;
}

/** A copy of plain data whose lists and objects are all its own; texts are shared, which `structuredClone` would write anew. */
function copyData<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyData) as T;
  const copy: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) copy[name] = copyData(field);
  return copy as T;
}
