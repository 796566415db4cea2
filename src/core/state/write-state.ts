import type { Steps } from "../steps.ts";
import type { Checkpoint, PackedCheckpoint, State, Summary } from "../types.ts";
import { MAX_ANSWER_MODELS, MAX_BRANCHES, MAX_CHECKPOINTS, MAX_RECALLED } from "./limits.ts";
import { packCheckpoint } from "./packed-checkpoint.ts";
import type { StateContext } from "./read-state.ts";
import type { Remembered } from "./remembered.ts";
import { signState } from "./sign-state.ts";
import { charactersOf } from "./source-text.ts";

/** Summaries that a state carries at most, beside those that are in use: more than eight of each of eight levels never are. */
const MAX_SUMMARIES = 64;
/** Above this size, or this share of the transcript, whichever is more, what isn't in use leaves (characters of JSON). */
const LEAST_LIMIT = 64 * 1024;
const TRANSCRIPT_SHARE = 0.02;

/** Records of the state in use, and how they are packed. */
export interface StateWriting {
  readonly context: Pick<StateContext, "messages" | "start" | "chain">;
  /** Keys of the summaries that the next compaction goes on from. */
  readonly inUse: ReadonlySet<string>;
  /** Signs the state. Left out: it isn't signed, and what only a signed one may hold is left out. */
  readonly key?: string | undefined;
  /** Checkpoints that were packed before, by id. */
  readonly packed: {
    get(id: string): PackedCheckpoint | undefined;
    set(id: string, packed: PackedCheckpoint): void;
  };
}

/**
 * The state to hand out. The newest checkpoint, the one that the view stands on, and the summaries in use are always in
 * it, whatever their size; of the others the newest, as far as the limit goes. They can be made again. In steps: to pack a
 * checkpoint of a long transcript takes a while.
 */
export function* writeState(remembered: Remembered, writing: StateWriting): Steps<State> {
  const { last } = remembered;
  const branches = remembered.branches.slice(-MAX_BRANCHES);
  const head = writing.key === undefined ? undefined : remembered.head;
  const { messages, chain } = writing.context;
  // Reads the whole transcript, and most states have no record that could be left out.
  let limit: number | undefined;
  const ownLimit = () => {
    limit ??= Math.max(LEAST_LIMIT, Math.floor(charactersOf(messages) * TRANSCRIPT_SHARE));
    return limit;
  };
  const byKey = new Map(remembered.summaries.map((one) => [one.key, one]));
  const chosen = { checkpoints: [] as PackedCheckpoint[], summaries: new Set<Summary>() };
  let size = BARE_STATE + (head?.length ?? 0);
  const add = (checkpoint: PackedCheckpoint | undefined, summaries: Iterable<Summary>, most: number) => {
    const more = [...summaries].filter((one) => !chosen.summaries.has(one));
    const added = [...(checkpoint ? [checkpoint] : []), ...more].reduce((sum, one) => sum + sizeOf(one), 0);
    if (size + added > most) return;
    size += added;
    if (checkpoint) chosen.checkpoints.push(checkpoint);
    for (const one of more) chosen.summaries.add(one);
  };
  const newestSummaries = [...remembered.summaries].sort((a, b) => b.at - a.at);
  add(
    undefined,
    newestSummaries.filter(({ key }) => writing.inUse.has(key)),
    Number.POSITIVE_INFINITY,
  );
  const own = remembered.checkpoints.filter((one) => chain[one.length] === one.hash).sort(newestFirst);
  const [newestOwn] = own;
  const candidates = [...own, ...remembered.elsewhere].sort(newestFirst);
  const needed = (one: { readonly id: string }) => one === newestOwn || one.id === last?.checkpoint;
  const elsewhere = new Set(branches.map(({ checkpoint }) => checkpoint));
  const rank = (one: { readonly id: string }) => (needed(one) ? 0 : elsewhere.has(one.id) ? 1 : 2);
  for (const one of candidates.sort((a, b) => rank(a) - rank(b) || newestFirst(a, b))) {
    if (chosen.checkpoints.length >= MAX_CHECKPOINTS) break;
    const packed = yield* packedForm(one, remembered.summaries, writing);
    const quoted = (packed.quotes ?? []).flatMap((key) => byKey.get(key) ?? []);
    add(packed, quoted, needed(one) ? Number.POSITIVE_INFINITY : ownLimit());
  }
  for (const one of newestSummaries)
    if (chosen.summaries.size < MAX_SUMMARIES) add(undefined, [one], ownLimit());
  const ids = new Set(chosen.checkpoints.map(({ id }) => id));
  const recalled = remembered.recalled.filter(({ checkpoint }) => ids.has(checkpoint)).slice(-MAX_RECALLED);
  // Hosts may change what they are handed out; the records themselves stay as they are.
  const state = copyData({
    version: 2,
    checkpoints: chosen.checkpoints.sort(newestFirst).reverse(),
    summaries: [...chosen.summaries].sort((a, b) => a.at - b.at).map((one) => asWritten(one, writing)),
    undos: remembered.undos.filter((undo) => ids.has(undo.checkpoint)),
    ...(head !== undefined && { head }),
    ...(last && { last }),
    ...(branches.length > 0 && { branches }),
    ...(remembered.answers.length > 0 && { answers: remembered.answers.slice(-MAX_ANSWER_MODELS) }),
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

/** What a state without records takes, with some room for undos. */
const BARE_STATE = 2_000;

function* packedForm(
  checkpoint: Checkpoint | PackedCheckpoint,
  summaries: readonly Summary[],
  { context, packed }: StateWriting,
): Steps<PackedCheckpoint> {
  if (Array.isArray(checkpoint.texts)) return checkpoint as PackedCheckpoint;
  const known = packed.get(checkpoint.id);
  if (known && (known.quotes ?? []).every((key) => summaries.some((one) => one.key === key))) return known;
  const made = yield* packCheckpoint(checkpoint as Checkpoint, { ...context, summaries });
  packed.set(checkpoint.id, made);
  return made;
}

/** Records never change, so their size needn't be measured on every call. */
const sizes = new WeakMap<object, number>();

function sizeOf(record: object): number {
  const size = sizes.get(record) ?? JSON.stringify(record).length;
  sizes.set(record, size);
  return size;
}

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
