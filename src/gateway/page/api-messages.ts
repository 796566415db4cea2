import type { ApiMessage, ApiMessages } from "../api.ts";
import { measureOf } from "../compaction/measure.ts";
import type { ConversationParts } from "../conversation/conversation-parts.ts";
import { lookupsBeside } from "../conversation/hidden-answers.ts";
import type { Loaded } from "../conversation/loaded.ts";
import { fatesOf } from "../conversation/view-of.ts";
import { shownParts } from "../wires/gateway-tools.ts";

/** Messages with what became of each, and the compactions between them. */
export async function apiMessages(
  parts: Pick<ConversationParts, "windows" | "fates" | "store">,
  tenant: string,
  loaded: Loaded,
  from: number,
  to: number = loaded.stored.length,
): Promise<ApiMessages> {
  const { lead, messages, stored, meta, conversation, system, dialect } = loaded;
  const [measure, { entries, dividers }, siblings] = await Promise.all([
    measureOf(parts, loaded.choice),
    parts.fates(tenant, loaded),
    parts.store.conversations.siblings(tenant, conversation.id),
  ]);
  const start = lead.length;
  const fates = fatesOf(entries, loaded, measure, { from: from + start, to: to + start });
  const shown = stored.slice(from, to).map(({ position, hash, role, at, given }): ApiMessage => {
    const message = messages[position + start]!;
    const unfinished = meta.unfinished?.[hash];
    const lookups = lookupsBeside(given, dialect, start);
    const branches = siblings.get(position);
    return {
      index: position,
      hash,
      role,
      parts: shownParts(message.parts),
      tokens: measure.message(message),
      at,
      pinned: meta.pins?.includes(position) ?? false,
      fate: fates.get(position + start) ?? { type: "kept" },
      ...(unfinished !== undefined && { unfinished }),
      ...(lookups.length > 0 && { lookups }),
      ...(branches?.includes(hash) && { branches }),
    };
  });
  return {
    conversation: conversation.id,
    from,
    total: stored.length,
    leaf: conversation.leaf,
    system: systemText(loaded, system),
    lead: lead.length,
    messages: shown,
    dividers,
  };
}

function systemText({ dialect, lead }: Loaded, system: unknown): string {
  const wire = system === undefined ? lead : [{ role: "system", content: system }, ...lead];
  return wire
    .flatMap((message) => dialect.read(message).parts)
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n\n");
}
