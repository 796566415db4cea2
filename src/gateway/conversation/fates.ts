import { findCheckpoint, restoreDraft } from "../../core/checkpoint.ts";
import { keepNewest } from "../../core/collections.ts";
import { type Draft, type Fate as DraftFate, entriesOf, isShown, KEEP, withFates } from "../../core/draft.ts";
import { structureOf } from "../../core/rounds.ts";
import type { Checkpoint, Entry, Measure, Message, Records, Run, Summary } from "../../core/types.ts";
import { narrativeOf } from "../../engine/plan/narrative.ts";
import type { Divider, Fate } from "../api.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { summaryToApi } from "./announcer.ts";
import { isCountingLong, type Loaded } from "./loaded.ts";
import { entryTokens, fitInput } from "./view-of.ts";

/** What became of a conversation's messages so far: not what would be done next. */
interface Fates {
  /** Empty where everything is shown as it is. */
  readonly entries: readonly Entry[];
  readonly dividers: readonly Divider[];
}

/** Conversations whose messages' fates are remembered. */
const MAX_KNOWN = 50;
/** Records that another process has written are seen after this long at the latest (milliseconds). */
const MAX_AGE_MS = { shared: 2_000, alone: 60_000 };

export type FatesOf = (tenant: string, loaded: Loaded) => Promise<Fates>;

type FateParts = Pick<CompactionParts, "config" | "store" | "records" | "compactors" | "now">;

/** Remembers what became of messages, so that turning pages of a long conversation costs nothing. */
export function createFates(parts: FateParts): FatesOf {
  const { config, store, records, now } = parts;
  const known = new Map<string, { readonly key: string; readonly at: number; readonly fates: Fates }>();
  const isShared = store.kind === "postgres" || config.workers > 1;
  const maxAge = MAX_AGE_MS[isShared ? "shared" : "alone"];
  return async (tenant, loaded) => {
    const { conversation, stored, meta, settings, model, head } = loaded;
    const isGuess = isCountingLong(loaded);
    const version = records.version(tenant);
    const key = JSON.stringify([stored.length, version, settings, meta.pins, model, head, isGuess]);
    const name = `${tenant} ${conversation.id}`;
    const found = known.get(name);
    if (found?.key === key && now() - found.at <= maxAge) return found.fates;
    const fates = await findFates(parts, tenant, loaded, isGuess);
    keepNewest(known, name, { key, at: now(), fates }, MAX_KNOWN);
    return fates;
  };
}

async function findFates(parts: FateParts, tenant: string, loaded: Loaded, isGuess: boolean): Promise<Fates> {
  const { stored, messages, lead } = loaded;
  const records = await parts.records.of(tenant).find(stored.map(({ hash }) => hash));
  const checkpoint = isGuess
    ? newestCheckpoint(parts, loaded, records)
    : await checkpointOfView(parts, loaded, records);
  const draft = checkpoint && restoreDraft(checkpoint, messages, lead.length);
  return {
    entries: draft ? entriesOf(withPinned(draft, messages, loaded.pins)) : [],
    dividers: dividersOf(records, chainOf(loaded)),
  };
}

/** What was pinned since the view was made joins it, with its round; the rest stays as it was. */
function withPinned(draft: Draft, messages: readonly Message[], pins: readonly number[]): Draft {
  const hidden = pins.filter((index) => draft.fates[index] && !isShown(draft.fates[index]));
  if (hidden.length === 0) return draft;
  const { units, unitOf } = structureOf(messages);
  const changes = new Map<number, DraftFate>();
  for (const index of hidden) {
    const { from, to } = units[unitOf[index]!]!;
    for (let one = from; one < to; one++) changes.set(one, KEEP);
  }
  return withFates(draft, changes);
}

/** The engine's own word on it, for which it counts the whole transcript. */
async function checkpointOfView(
  { compactors }: FateParts,
  loaded: Loaded,
  { checkpoints }: Records,
): Promise<Checkpoint | undefined> {
  try {
    const compactor = compactors.of(loaded.choice);
    const { checkpoint } = await compactor.pressure(loaded.transcript, fitInput(loaded));
    return checkpoints.find(({ id }) => id === checkpoint);
  } catch {
    // Settings that can't work are told where they are needed; the messages are shown all the same.
    return undefined;
  }
}

/** Before a long transcript has been counted: the newest one, which it nearly always is. */
function newestCheckpoint(
  { compactors }: FateParts,
  loaded: Loaded,
  { checkpoints, undos }: Records,
): Checkpoint | undefined {
  const { dialect, choice } = loaded;
  return findCheckpoint({
    checkpoints,
    undos,
    chain: chainOf(loaded),
    dialect: dialect.id,
    strategy: compactors.strategyOf(choice),
  });
}

const chainOf = ({ stored }: Loaded): readonly string[] => ["", ...stored.map(({ hash }) => hash)];

function dividersOf({ checkpoints, summaries, undos }: Records, chain: readonly string[]): Divider[] {
  const undone = new Set(undos.map(({ checkpoint }) => checkpoint));
  return checkpoints
    .filter(({ id }) => !undone.has(id))
    .sort((a, b) => a.at - b.at)
    .map((checkpoint): Divider => {
      const covers = checkpoint.entries.flatMap((entry) =>
        entry.type === "cover" ? [{ from: entry.from, to: entry.to }] : [],
      );
      const texts = checkpoint.entries.flatMap((entry) =>
        entry.type === "insert" ? [checkpoint.texts[entry.text] ?? ""] : [],
      );
      return {
        // After what it covered: what it left as it was stands below.
        after: Math.max(...(covers.length > 0 ? covers.map(({ to }) => to) : [checkpoint.length])) - 1,
        checkpoint: checkpoint.id,
        at: checkpoint.at,
        text: texts.join("\n\n"),
        covers,
        dropped: checkpoint.entries.reduce(
          (sum, entry) => sum + (entry.type === "drop" ? entry.to - entry.from : 0),
          0,
        ),
        edited: checkpoint.entries.filter(({ type }) => type === "edit").length,
        tokens: checkpoint.tokens,
        summaries: inForce(usedIn(summaries, texts.join("\n")), summaries, covers, chain).map(summaryToApi),
      };
    });
}

/** The summaries whose words stand in a text. */
function usedIn(summaries: readonly Summary[], text: string): Summary[] {
  return summaries
    .filter((summary) => text.includes(summary.text.trim().split("\n")[0]?.trim() ?? summary.text))
    .sort((a, b) => a.covers.from - b.covers.from);
}

/**
 * Of all that was ever said about the messages that a divider covers, only what speaks for them now: whoever corrects a
 * summary goes on from the words that the model will see, not from those that were replaced.
 */
function inForce(
  used: readonly Summary[],
  all: readonly Summary[],
  covered: readonly Run[],
  chain: readonly string[],
): Summary[] {
  const versions = all.filter((one) => used.some(({ covers }) => isSame(covers, one.covers)));
  const end = Math.max(...covered.map(({ to }) => to));
  const chosen: Summary[] = [];
  for (const { from } of covered) {
    if (chosen.some(({ covers }) => covers.to > from)) continue;
    chosen.push(...narrativeOf(versions, chain, end, from).records);
  }
  // Records about rounds stand beside the narrative.
  const others = used.filter(({ covers }) => !chosen.some((one) => overlaps(one.covers, covers)));
  return [...chosen, ...others].sort((a, b) => a.covers.from - b.covers.from);
}

const isSame = (a: Run, b: Run): boolean => a.from === b.from && a.to === b.to;
const overlaps = (a: Run, b: Run): boolean => a.from < b.to && b.from < a.to;

/** What became of the messages of a run, by their index in the transcript. */
export function fatesOf(
  entries: readonly Entry[],
  loaded: Loaded,
  measure: Measure,
  run: Run,
): Map<number, Fate> {
  const fates = new Map<number, Fate>();
  const isAsked = (index: number) => index >= run.from && index < run.to;
  for (const [number, entry] of entries.entries()) {
    if (entry.type !== "insert") continue;
    for (const { from, to } of entry.covers)
      for (let index = Math.max(from, run.from); index < Math.min(to, run.to); index++)
        fates.set(index, { type: "covered", by: number });
  }
  // After the covers: messages inside a covered run that are shown all the same have entries of their own.
  for (const entry of entries) {
    if (entry.type === "insert" || !isAsked(entry.index)) continue;
    if (entry.type === "keep") fates.set(entry.index, { type: "kept" });
    else if (entry.type === "drop") fates.set(entry.index, { type: "dropped", reason: entry.reason });
    else
      fates.set(entry.index, {
        type: "edited",
        reasons: [...new Set(entry.edits.map(({ why }) => why))],
        tokens: entryTokens(entry, loaded, measure),
      });
  }
  return fates;
}
