import { saidText } from "../../../core/message-text.ts";
import type { Message } from "../../../core/types.ts";
import { canAnswer } from "../../api/offline-answer.ts";
import type { SearchHit } from "../../api.ts";
import { type Loaded, load } from "../../conversation/loaded.ts";
import { searchHits } from "../../conversation/past.ts";
import { appendMessages } from "../../conversation/store-messages.ts";
import { currentPlan } from "../../conversation/view-of.ts";
import { RequestFault } from "../../http/request-fault.ts";
import { announced } from "../announce.ts";
import { apiMessages } from "../api-messages.ts";
import { type ApiContext, type Handlers, numberQuery } from "../context.ts";
import { schemas } from "../schemas.ts";

const DEFAULT_HITS = 20;
const EXCERPT_CHARS = 160;
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
    const needle = queryOf(context).toLowerCase();
    const limit = numberQuery(context, "limit") ?? DEFAULT_HITS;
    const loaded = await load(gateway, tenant, param("id"));
    const plan = await currentPlan(gateway, loaded);
    const shown = new Set(plan.entries.flatMap((entry) => (entry.type === "keep" ? [entry.index] : [])));
    const isWanted = wantedIn(loaded, numberQuery(context, "answering"));
    const hits = searchIn(loaded, needle, isWanted, (index) => shown.has(index));
    return { hits: hits.sort((a, b) => Number(a.visible) - Number(b.visible)).slice(0, limit) };
  },
} satisfies Partial<Handlers>;

function queryOf(context: ApiContext): string {
  const query = context.query("q")?.trim() ?? "";
  if (query === "") throw new RequestFault(400, "invalid", "q: say what to look for.");
  return query;
}

/** Who answers a message looks only at what was said before it and can answer it. */
function wantedIn(
  { messages, lead }: Loaded,
  answering: number | undefined,
): (message: Message, index: number) => boolean {
  const question = answering === undefined ? undefined : messages[answering + lead.length];
  if (answering === undefined || question === undefined) return () => true;
  const answers = canAnswer(saidText(question));
  return (message, index) => index < answering && answers(message.role, saidText(message));
}

function searchIn(
  loaded: Loaded,
  needle: string,
  isWanted: (message: Message, index: number) => boolean,
  visible: (index: number) => boolean,
): SearchHit[] {
  const { conversation, messages, lead } = loaded;
  return messages.slice(lead.length).flatMap((message, index): SearchHit[] => {
    if (!isWanted(message, index)) return [];
    for (const part of message.parts) {
      const text =
        part.type === "text" || part.type === "tool-result"
          ? part.text
          : part.type === "tool-call"
            ? `${part.name} ${part.args}`
            : "";
      const at = text.toLowerCase().indexOf(needle);
      if (at < 0) continue;
      const from = Math.max(0, at - EXCERPT_CHARS / 2);
      return [
        {
          conversation: conversation.id,
          title: conversation.title,
          index,
          role: message.role,
          excerpt: text.slice(from, from + EXCERPT_CHARS + needle.length),
          visible: visible(index + lead.length),
        },
      ];
    }
    return [];
  });
}
