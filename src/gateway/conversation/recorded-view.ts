import { restoreDraft } from "../../core/checkpoint.ts";
import { type Draft, entriesOf, keepAll } from "../../core/draft.ts";
import type { Checkpoint, Measure, Store } from "../../core/types.ts";
import { fittingQuotations } from "../../engine/recall/fitting-quotations.ts";
import { withQuoted } from "../../engine/recall/quotations.ts";
import type { ApiView, PlacedEvent } from "../api.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { measureOf } from "../compaction/measure.ts";
import { RequestFault } from "../http/request-fault.ts";
import type { Timeline } from "../telemetry/timeline.ts";
import { countAhead } from "./count-ahead.ts";
import { entryTokens, systemTokens } from "./entry-tokens.ts";
import { happenedIn } from "./found-compaction.ts";
import { type Loaded, type LoadParts, load } from "./loaded.ts";
import { inForceAt, madeBy, type RecordedQuote } from "./recorded-past.ts";
import { countedQuotes, recordedQuotes } from "./recorded-quotes.ts";
import { fitInput, viewOf } from "./view-of.ts";

/** What was sent when the transcript had so many messages, read from the record of its compaction. */
export async function recordedView(
  parts: LoadParts &
    Pick<CompactionParts, "records" | "compactors" | "windows"> & { readonly timeline: Timeline },
  tenant: string,
  id: string,
  length: number,
): Promise<ApiView> {
  const events = await happenedIn(parts, tenant, await load(parts, tenant, id));
  const loaded = await load(parts, tenant, id, length);
  await countAhead(parts, loaded);
  const { checkpoint } = inForceAt(events)(length) ?? {};
  const measure = await measureOf(parts, loaded.choice);
  const { budget } = await parts.compactors.of(loaded.choice).pressure(loaded.transcript, fitInput(loaded));
  const system = systemTokens(loaded, measure);
  const tokensOf = viewTokens(loaded, measure);
  const draft =
    checkpoint === undefined
      ? keepAll(loaded.messages.length)
      : await restoredDraft(parts, tenant, loaded, {
          id: checkpoint,
          measure,
          tokensOf,
          budget: budget.budget,
        });
  const entries = entriesOf(draft);
  const transcript = loaded.messages.reduce((sum, message) => sum + measure.message(message), system);
  const tokens = tokensOf(draft);
  const pressure = tokens / budget.budget;
  return viewOf(
    parts,
    loaded,
    {
      entries,
      budget,
      pressure: { before: pressure, after: pressure },
      tokens: { transcript, before: tokens, after: tokens },
      warnings: [],
    },
    checkpoint === undefined ? "pass" : "view",
  );
}

/** Counts the views of a conversation. */
export function viewTokens(loaded: Loaded, measure: Measure): (draft: Draft) => number {
  const system = systemTokens(loaded, measure);
  return (draft) =>
    entriesOf(draft).reduce((sum, entry) => sum + entryTokens(entry, loaded, measure), system);
}

/** Messages that are counted again for all compactions together, the newest first: others wait for this server, too. */
const MAX_COUNTED = 100_000;

/**
 * Tokens of the views that compactions left. What was counted then may be counted otherwise now, because the provider's usage
 * has taught how it counts: what is shown side by side must be counted alike.
 */
export async function viewSizes(
  { records }: Pick<CompactionParts, "records">,
  tenant: string,
  loaded: Loaded,
  { events, measure }: { readonly events: readonly PlacedEvent[]; readonly measure: Measure },
): Promise<ReadonlyMap<string, number>> {
  const { stored, messages, lead } = loaded;
  const { checkpoints } = await records.of(tenant).find(stored.map(({ hash }) => hash));
  const byId = new Map(checkpoints.map((one) => [one.id, one]));
  const sizes = new Map<string, number>();
  const system = systemTokens(loaded, measure);
  let counted = 0;
  for (const event of [...events].reverse()) {
    const checkpoint = byId.get(madeBy(event)?.checkpoint ?? "");
    if (!checkpoint || counted > MAX_COUNTED) continue;
    const then = messages.slice(0, event.messages + lead.length);
    const draft = restoreDraft(checkpoint, then, lead.length);
    if (!draft || sizes.has(checkpoint.id)) continue;
    counted += then.length;
    const tokens = entriesOf(draft).reduce((sum, entry) => sum + entryTokens(entry, loaded, measure), system);
    sizes.set(checkpoint.id, tokens);
  }
  return sizes;
}

/** What views quoted for user messages, with its tokens and those that the view may have had. */
export async function quoteSizes(
  { records, compactors }: Pick<CompactionParts, "records" | "compactors">,
  tenant: string,
  loaded: Loaded,
  measure: Measure,
): Promise<readonly RecordedQuote[]> {
  const { checkpoints, recalled = [] } = await records.of(tenant).find(loaded.stored.map(({ hash }) => hash));
  if (recalled.length === 0) return [];
  const { budget } = await compactors.of(loaded.choice).pressure(loaded.transcript, fitInput(loaded));
  const tokensOf = viewTokens(loaded, measure);
  const budgets = new Map(
    checkpoints.map((one) => [one.id, budgetThen(one, budget.budget, loaded, tokensOf)]),
  );
  return countedQuotes(recordedQuotes(recalled, loaded), loaded, measure).map(({ record, tokens }) => ({
    checkpoint: record.checkpoint,
    messages: record.length,
    tokens,
    budget: budgets.get(record.checkpoint) ?? budget.budget,
  }));
}

/**
 * What a view was allowed, in tokens as they are counted now: the provider's usage may have taught otherwise since, and a budget
 * that was lowered since took nothing from what was sent before.
 */
function budgetThen(
  checkpoint: Checkpoint | undefined,
  now: number,
  { messages, lead }: Pick<Loaded, "messages" | "lead">,
  tokensOf: (draft: Draft) => number,
): number {
  if (!checkpoint) return now;
  const { budget, seen, tokens } = checkpoint;
  const draft = restoreDraft(checkpoint, messages.slice(0, seen.messages), lead.length);
  const counted = draft ? tokensOf(draft) / Math.max(1, tokens.after) : 1;
  return Math.max(budget, now) * Math.max(1, counted);
}

export async function restoredDraft(
  { records }: { readonly records: { of(tenant: string): Store } },
  tenant: string,
  loaded: Loaded,
  {
    id,
    measure,
    tokensOf,
    budget,
  }: {
    readonly id: string;
    readonly measure: Measure;
    readonly tokensOf: (draft: Draft) => number;
    readonly budget: number;
  },
): Promise<Draft> {
  const { stored, messages, lead, dialect } = loaded;
  const { checkpoints, recalled = [] } = await records.of(tenant).find(stored.map(({ hash }) => hash));
  const checkpoint = checkpoints.find((one) => one.id === id);
  const draft = checkpoint && restoreDraft(checkpoint, messages, lead.length);
  if (!draft)
    throw new RequestFault(
      410,
      "not-kept",
      "The record of this compaction isn't kept any more, so what was sent can't be shown word for word.",
    );
  const own = recalled.filter((one) => one.checkpoint === id);
  const quotes = countedQuotes(recordedQuotes(own, loaded), loaded, measure);
  if (quotes.length === 0) return draft;
  // As when it was sent: the oldest left where the view had no room for them.
  const all = quotes.reduce((sum, { tokens }) => sum + tokens, tokensOf(draft));
  const { quoted } = fittingQuotations(quotes, all, budgetThen(checkpoint, budget, loaded, tokensOf));
  return withQuoted(draft, quoted, dialect.rules);
}
