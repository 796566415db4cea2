import { restoreDraft } from "../../core/checkpoint.ts";
import { type Draft, entriesOf, keepAll } from "../../core/draft.ts";
import type { Checkpoint, Dialect, Measure, Recalled } from "../../core/types.ts";
import {
  fittingQuotations,
  type PlacedQuotation,
  placedQuotations,
  type Quoted,
  quotedTokens,
  withQuoted,
} from "../../engine/read/quotations.ts";
import type { ApiView } from "../api.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { measureOf } from "../compaction/measure.ts";
import { bareName } from "../compaction/records.ts";
import { RequestFault } from "../http/request-fault.ts";
import { countAhead } from "./count-ahead.ts";
import { entryTokens, systemTokens } from "./entry-tokens.ts";
import { type Loaded, type LoadParts, load } from "./loaded.ts";
import { checkpointOf, placedRows, rowAt } from "./timeline.ts";
import { fitInput, viewOf } from "./view-of.ts";

/** What was sent when the transcript had so many messages, by the record of the last request until then. */
export async function recordedView(
  parts: LoadParts &
    Pick<CompactionParts, "records" | "compactors" | "windows"> & {
      readonly requests: { flush(): Promise<void> };
    },
  tenant: string,
  id: string,
  length: number,
): Promise<ApiView> {
  const found = rowAt(await placedRows(parts, tenant, await load(parts, tenant, id)), length);
  const loaded = await load(parts, tenant, id, length);
  await countAhead(parts, loaded);
  const measure = await measureOf(parts, loaded.choice);
  const { budget } = await parts.compactors.of(loaded.choice).pressure(loaded.transcript, fitInput(loaded));
  const system = systemTokens(loaded, measure);
  const checkpoint = found && checkpointOf(found);
  const draft =
    checkpoint === undefined
      ? keepAll(loaded.messages.length)
      : (await draftsThen(parts, tenant, loaded, checkpoint))[0];
  if (!draft)
    throw new RequestFault(
      410,
      "not-kept",
      "The record of this compaction isn't kept any more, so what was sent can't be shown word for word.",
    );
  const transcript = loaded.messages.reduce((sum, message) => sum + measure.message(message), system);
  const after = viewTokens(loaded, measure)(draft);
  // One figure, one name: of a request that was sent it is that of its record.
  const { kind, tokensBefore, tokensAfter } = found?.messages === length ? found.row : {};
  const isSent = (kind === "client" || kind === "page") && tokensBefore !== undefined;
  const tokens = isSent
    ? { transcript: tokensBefore, before: tokensAfter ?? tokensBefore, after: tokensAfter ?? tokensBefore }
    : { transcript, before: after, after };
  const pressure = tokens.after / budget.budget;
  return viewOf(
    parts,
    loaded,
    {
      entries: entriesOf(draft),
      budget,
      pressure: { before: pressure, after: pressure },
      tokens,
      warnings: [],
    },
    checkpoint === undefined ? "pass" : "view",
  );
}

/** Counts the views of a conversation. */
function viewTokens(loaded: Loaded, measure: Measure): (draft: Draft) => number {
  const system = systemTokens(loaded, measure);
  return (draft) =>
    entriesOf(draft).reduce((sum, entry) => sum + entryTokens(entry, loaded, measure), system);
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

/**
 * The views that a request may have stood on a compaction with: one, but of requests with wishes of their own there may be
 * several compactions by one name. None where its record isn't kept any more.
 */
export async function draftsThen(
  { store, compactors, windows }: Pick<CompactionParts, "store" | "compactors" | "windows">,
  tenant: string,
  loaded: Loaded,
  checkpoint: string,
): Promise<readonly Draft[]> {
  const { stored, messages, lead, dialect, transcript, choice } = loaded;
  const measure = await measureOf({ windows }, choice);
  const { budget } = await compactors.of(choice).pressure(transcript, fitInput(loaded));
  const tokensOf = viewTokens(loaded, measure);
  const { checkpoints, recalled = [] } = await store.records(tenant).find(stored.map(({ hash }) => hash));
  const named = checkpoints.filter(({ id }) => id === checkpoint || bareName(id) === checkpoint);
  return named
    .toSorted((a, b) => Number(b.id === checkpoint) - Number(a.id === checkpoint))
    .flatMap((one): readonly Draft[] => {
      const draft = restoreDraft(one, messages, lead.length);
      if (!draft) return [];
      const own = recalled.filter((quote) => quote.checkpoint === one.id);
      const quotes = countedQuotes(recordedQuotes(own, loaded), loaded, measure);
      if (quotes.length === 0) return [draft];
      // As when it was sent: the oldest left where the view had no room for them.
      const all = quotes.reduce((sum, { tokens }) => sum + tokens, tokensOf(draft));
      const { quoted } = fittingQuotations(quotes, all, budgetThen(one, budget.budget, loaded, tokensOf));
      return [withQuoted(draft, quoted, dialect.rules)];
    });
}

/** What was quoted for messages of a conversation, oldest first; without what no longer fits its transcript. */
function recordedQuotes(
  recalled: readonly Recalled[],
  { stored, messages, lead }: Pick<Loaded, "stored" | "messages" | "lead">,
): readonly PlacedQuotation[] {
  const hashOf = (length: number) => stored[length - 1]?.hash;
  return placedQuotations(recalled, { messages, start: lead.length, hashOf });
}

/** Quotations with the tokens that each added to its view. */
export function countedQuotes(
  quotes: readonly PlacedQuotation[],
  {
    dialect,
    transcript,
    messages,
  }: Pick<Loaded, "transcript" | "messages"> & { readonly dialect: Dialect<unknown> },
  measure: Measure,
): readonly Quoted[] {
  const counts = {
    measure,
    tokensOf: (index: number) => measure.message(messages[index]!),
    editedTokens: (index: number, edits: Parameters<typeof dialect.edit>[1]) =>
      measure.message(dialect.read(dialect.edit(transcript[index]!, edits))),
  };
  return quotes.map((quote) => ({ ...quote, tokens: quotedTokens(counts, dialect.rules, quote) }));
}
