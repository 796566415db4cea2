import { load } from "../../conversation/loaded.ts";
import { searchHits } from "../../conversation/past.ts";
import { appendMessages } from "../../conversation/store-messages.ts";
import { RequestFault } from "../../http/request-fault.ts";
import { announced } from "../announce.ts";
import { apiMessages, foundIn } from "../api-messages.ts";
import { type ApiContext, type Handlers, numberQuery } from "../context.ts";
import { schemas } from "../schemas.ts";

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
    return { hits: await searchHits(gateway.store, tenant, queryOf(context), { limit, signal }) };
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
