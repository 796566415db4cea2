import { restoreDraft } from "../../core/checkpoint.ts";
import { type Draft, entriesOf, keepAll } from "../../core/draft.ts";
import { applyEdits } from "../../core/edits.ts";
import type { Entry, Measure, Message } from "../../core/types.ts";
import type { ApiView } from "../api.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { measureOf } from "../compaction/measure.ts";
import { RequestFault } from "../http/request-fault.ts";
import type { Timeline } from "../telemetry/timeline.ts";
import { countAhead } from "./count-ahead.ts";
import { type Loaded, type LoadParts, load } from "./loaded.ts";
import { inForceAt, placedEvents } from "./recorded-past.ts";
import { fitInput, viewOf } from "./view-of.ts";

/** What was sent when the transcript had so many messages, read from the record of its compaction. */
export async function recordedView(
  parts: LoadParts &
    Pick<CompactionParts, "records" | "compactors" | "windows"> & { readonly timeline: Timeline },
  tenant: string,
  id: string,
  length: number,
): Promise<ApiView> {
  const events = await placedEvents(parts, tenant, await load(parts, tenant, id));
  const loaded = await load(parts, tenant, id, length);
  await countAhead(parts, loaded);
  const { checkpoint } = inForceAt(events)(length) ?? {};
  const draft =
    checkpoint === undefined
      ? keepAll(loaded.messages.length)
      : await restore(parts, tenant, loaded, checkpoint);
  const entries = entriesOf(draft);
  const measure = await measureOf(parts, loaded.choice);
  const { budget } = await parts.compactors.of(loaded.choice).pressure(loaded.transcript, fitInput(loaded));
  const transcript = loaded.messages.reduce((sum, message) => sum + measure.message(message), 0);
  const tokens = tokensOf(entries, loaded.messages, measure);
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

async function restore(
  { records }: Pick<CompactionParts, "records">,
  tenant: string,
  { stored, messages, lead }: Loaded,
  id: string,
): Promise<Draft> {
  const { checkpoints } = await records.of(tenant).find(stored.map(({ hash }) => hash));
  const checkpoint = checkpoints.find((one) => one.id === id);
  const draft = checkpoint && restoreDraft(checkpoint, messages, lead.length);
  if (draft) return draft;
  throw new RequestFault(
    410,
    "not-kept",
    "The record of this compaction isn't kept any more, so what was sent can't be shown word for word.",
  );
}

function tokensOf(entries: readonly Entry[], messages: readonly Message[], measure: Measure): number {
  return entries.reduce((sum, entry) => {
    if (entry.type === "drop") return sum;
    if (entry.type === "insert") {
      const { role, text } = entry.message;
      return sum + measure.message({ role, parts: [{ type: "text", text }] });
    }
    const message = messages[entry.index]!;
    return sum + measure.message(entry.type === "edit" ? applyEdits(message, entry.edits) : message);
  }, 0);
}
