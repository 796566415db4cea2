import { openRecall } from "../../../recall/open-recall.ts";
import { schemas } from "../../api/schemas.ts";
import { type ApiMessage, type ApiMessages, LISTED_OF, type RequestFact, type SearchHit } from "../../api.ts";
import { measureOf } from "../../compaction/measure.ts";
import type { ConversationParts } from "../../conversation/conversation-parts.ts";
import { fatesOf } from "../../conversation/fates.ts";
import { lookupsBeside } from "../../conversation/hidden-answers.ts";
import { type Loaded, load } from "../../conversation/loaded.ts";
import { excerptFor, searchHits } from "../../conversation/past.ts";
import { appendMessages } from "../../conversation/store-messages.ts";
import { currentPlan } from "../../conversation/view-of.ts";
import { RequestFault } from "../../http/request-fault.ts";
import { factOf } from "../../requests/running-request.ts";
import { shownParts } from "../../wires/gateway-tools.ts";
import { type ApiContext, type Handlers, numberQuery, oneOf } from "../context.ts";
import { announced } from "../event-stream.ts";

const DEFAULT_HITS = 20;
const MAX_HITS = 100;

export const messageHandlers = {
  async messages(context) {
    const { gateway, tenant, param } = context;
    const loaded = await load(gateway, tenant, param("id"));
    const last = numberQuery(context, "last");
    const from =
      last === undefined ? (numberQuery(context, "from") ?? 0) : Math.max(0, loaded.stored.length - last);
    return apiMessages(gateway, tenant, loaded, from, numberQuery(context, "to"));
  },

  async appendMessage(context) {
    const { gateway, tenant, param } = context;
    const { role, text } = await context.body(schemas.newMessage);
    const loaded = await load(gateway, tenant, param("id"));
    const message = loaded.dialect.write({ role, text });
    const { conversation } = await appendMessages(gateway, tenant, loaded, [message]);
    const after = await load(gateway, tenant, conversation);
    announced(context, after.conversation, "changed");
    return apiMessages(gateway, tenant, after, after.stored.length - 1);
  },

  async search(context) {
    const { gateway, tenant, signal } = context;
    const limit = Math.min(numberQuery(context, "limit") ?? DEFAULT_HITS, MAX_HITS);
    const of = oneOf(context, "of", LISTED_OF);
    return { hits: await searchHits(gateway.store, tenant, queryOf(context), { limit, of, signal }) };
  },

  async recall(context) {
    const { gateway, tenant, param } = context;
    const limit = numberQuery(context, "limit") ?? DEFAULT_HITS;
    const query = queryOf(context);
    const hits = await foundIn(gateway, await load(gateway, tenant, param("id")), query);
    return { hits: hits.toSorted((a, b) => Number(a.visible) - Number(b.visible)).slice(0, limit) };
  },
} satisfies Partial<Handlers>;

function queryOf(context: ApiContext): string {
  const query = context.query("q")?.trim() ?? "";
  if (query === "") throw new RequestFault(400, "invalid", "q: say what to look for.");
  return query;
}

/** Requests that are looked at for the answers of a piece of a transcript, the newest before its end. */
const MOST_ROWS = 500;

const requestOf = ({ id, model, ms, usage, spend }: RequestFact): NonNullable<ApiMessage["request"]> => ({
  ...{ id, model, ms },
  ...(usage && { usage }),
  ...(spend !== undefined && { spend }),
});

/** Messages with what became of each, and the compactions between them. */
export async function apiMessages(
  parts: Pick<ConversationParts, "windows" | "fates" | "store">,
  tenant: string,
  loaded: Loaded,
  from: number,
  to: number = loaded.stored.length,
): Promise<ApiMessages> {
  const { lead, messages, stored, meta, conversation, system, dialect } = loaded;
  const [measure, { entries, dividers }, siblings, rows] = await Promise.all([
    measureOf(parts, loaded.choice),
    parts.fates(tenant, loaded),
    parts.store.conversations.siblings(tenant, conversation.id),
    parts.store.requests.list(tenant, {
      conversation: conversation.id,
      kinds: ["client", "page"],
      to: (stored[Math.min(to, stored.length) - 1]?.at ?? 0) + 1,
      details: true,
      limit: MOST_ROWS,
    }),
  ]);
  const requestBy = new Map(rows.map((row) => [row.answer, row]));
  const start = lead.length;
  const fates = fatesOf(entries, loaded, measure, { from: from + start, to: to + start });
  const shown = stored.slice(from, to).map(({ position, hash, role, at, given, unfinished }): ApiMessage => {
    const message = messages[position + start]!;
    const lookups = lookupsBeside(given, dialect, start);
    const branches = siblings.get(position);
    const failure = meta.failures?.find((one) => one.message === hash)?.error;
    const row = requestBy.get(hash);
    return {
      index: position,
      hash,
      role,
      parts: shownParts(message.parts),
      tokens: measure.message(message),
      at,
      pinned: meta.pins?.includes(hash) ?? false,
      fate: fates.get(position + start) ?? { type: "kept" },
      ...(unfinished !== undefined && { unfinished }),
      ...(failure && { failure }),
      ...(row && { request: requestOf(factOf(row)) }),
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

/** Messages that are looked at for an answer, and the tokens that quoting them may take: people are shown less of each. */
const LOOKED_AT = 50;
const LOOKED_AT_TOKENS = 50_000;

/** Messages of a chat that hold something of what is asked for, the best first. */
export async function foundIn(
  parts: Parameters<typeof currentPlan>[0],
  loaded: Loaded,
  query: string,
): Promise<readonly SearchHit[]> {
  const { conversation, dialect, transcript, messages, lead } = loaded;
  const { entries } = await currentPlan(parts, loaded);
  const shown = new Set(entries.flatMap((entry) => (entry.type === "keep" ? [entry.index] : [])));
  const recall = openRecall({ dialect, transcript });
  const { hits } = await recall.search(query, { limit: LOOKED_AT, tokens: LOOKED_AT_TOKENS });
  return hits.flatMap(({ index }) => {
    const message = messages[index]!;
    const excerpt = index < lead.length ? undefined : excerptFor(message, query);
    return excerpt === undefined
      ? []
      : {
          conversation: conversation.id,
          title: conversation.title,
          index: index - lead.length,
          role: message.role,
          excerpt,
          visible: shown.has(index),
        };
  });
}
