import { restoreDraft } from "../../core/checkpoint.ts";
import type { Checkpoint } from "../../core/types.ts";
import type { PlacedEvent } from "../api.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import type { Timeline } from "../telemetry/timeline.ts";
import type { Loaded, LoadParts } from "./loaded.ts";
import { madeBy, placedEvents } from "./recorded-past.ts";
import { fitInput } from "./view-of.ts";

/**
 * What happened to a conversation, and the compaction that it stands on without having made it: records are found by the
 * messages that they are about, so that a file that is opened again has a view at once, of which no event tells.
 */
export async function happenedIn(
  parts: LoadParts & Pick<CompactionParts, "records" | "compactors"> & { readonly timeline: Timeline },
  tenant: string,
  loaded: Loaded,
): Promise<readonly PlacedEvent[]> {
  const events = await placedEvents(parts, tenant, loaded);
  const told = new Set(events.map((event) => madeBy(event)?.checkpoint));
  const { checkpoints } = await parts.records.of(tenant).find(loaded.stored.map(({ hash }) => hash));
  const untold = checkpoints.filter(({ id }) => !told.has(id));
  if (untold.length === 0) return events;
  const { checkpoint: inForce } = await parts.compactors
    .of(loaded.choice)
    .pressure(loaded.transcript, fitInput(loaded));
  const found = untold.find(({ id }) => id === inForce);
  const event = found && foundEvent(found, loaded);
  return event ? [...events, event].sort((a, b) => a.messages - b.messages || a.id - b.id) : events;
}

function foundEvent(checkpoint: Checkpoint, loaded: Loaded): PlacedEvent | undefined {
  const { conversation, messages, lead } = loaded;
  const draft = restoreDraft(checkpoint, messages.slice(0, lead.length + checkpoint.length), lead.length);
  if (!draft) return undefined;
  const { reason, rung, strategy, tokens, budget, id, length } = checkpoint;
  const count = (type: string) => draft.fates.filter((fate) => fate.type === type).length;
  return {
    // Stands before all that was recorded here.
    id: 0,
    at: conversation.createdAt,
    conversation: conversation.id,
    messages: length,
    type: "compacted",
    reason,
    rung,
    strategy,
    tokens: { transcript: tokens.before, ...tokens },
    pressure: { before: tokens.before / budget, after: tokens.after / budget },
    counts: {
      kept: count("keep"),
      edited: count("edit"),
      covered: count("cover"),
      dropped: count("drop"),
      inserted: draft.inserts.length,
    },
    ms: 0,
    cost: 0,
    checkpoint: id,
    text: draft.inserts.map(({ message }) => message.text).join("\n\n"),
    isFound: true,
  };
}
