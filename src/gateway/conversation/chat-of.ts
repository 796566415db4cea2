import type { ChatSettings } from "../api.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { metaOf } from "./chat-settings.ts";
import type { Recording } from "./recording.ts";

/** What a person set for a conversation on the page, or did to it there. */
export interface Chat {
  readonly settings: ChatSettings | undefined;
  /** Indexes in the transcript of the request. */
  readonly pins: readonly number[];
}

/** How long settings are believed without asking the store again (milliseconds): a change works that late. */
const BELIEVED_MS = 2_000;

/**
 * What a person set for the conversation that a request goes on with; undefined if nothing was set, nor compacted, by hand. Or the
 * person has thrown it away.
 */
export async function chatOf(
  parts: Pick<CompactionParts, "store" | "now">,
  tenant: string,
  recording: Recording,
): Promise<Chat | "thrown away" | undefined> {
  const { known, record, matched } = recording;
  const { id } = known;
  if (id === undefined) return undefined;
  const now = parts.now();
  if (known.meta === undefined || known.meta.until <= now) {
    const found = await parts.store.conversations.meta(tenant, id).catch(() => undefined);
    known.meta = {
      of: metaOf({ meta: found?.meta }),
      isThrownAway: found?.deletedAt !== undefined,
      until: now + BELIEVED_MS,
    };
  }
  if (known.meta.isThrownAway) return "thrown away";
  const { settings, pins = [], isCompacted } = known.meta.of;
  if (settings === undefined && pins.length === 0 && !isCompacted) return undefined;
  return { settings, pins: pins.filter((index) => index < matched).map((index) => index + record.start) };
}
