import { readLogs } from "../../../apis/logs/index.ts";
import { givingWay } from "../../../core/budget.ts";
import { defined } from "../../../core/collections.ts";
import { firstCharacters } from "../../../core/first-characters.ts";
import { stringifyDeep } from "../../../core/json.ts";
import { conversationNotFound, isRefusal } from "../../../stores/shared/not-found.ts";
import { MAX_TITLE, schemas } from "../../api/schemas.ts";
import { type ApiConversation, ARCHIVED, type ChatSettings, LISTED_OF } from "../../api.ts";
import { createPace } from "../../compaction/measure.ts";
import { toApi } from "../../conversation/announcer.ts";
import {
  type ChatMeta,
  changed,
  isThrownAway,
  metaOf,
  readGlobalSettings,
  UNDO_MS,
} from "../../conversation/chat-settings.ts";
import { checkSettings, findConversation, load, setsSomething } from "../../conversation/loaded.ts";
import { exampleSession } from "../../conversation/named-by-client.ts";
import { createConversation, forkConversation, logTranscript } from "../../conversation/store-messages.ts";
import { checkValues } from "../../http/body-thread.ts";
import { notFound } from "../../http/request-fault.ts";
import { checkAsked } from "../../turn/read.ts";
import { upstreamOf } from "../../upstream/upstream.ts";
import { wireOfDialect } from "../../wires/index.ts";
import { bodyToStore, cursorQuery, type Handlers, numberQuery, oneOf } from "../context.ts";
import { announced } from "../event-stream.ts";

export const conversationHandlers = {
  async conversations(context) {
    const { gateway, tenant, busy } = context;
    const limit = numberQuery(context, "limit");
    const search = context.query("search");
    const cursor = cursorQuery(context);
    const archived = oneOf(context, "archived", ARCHIVED);
    const of = oneOf(context, "of", LISTED_OF);
    const page = await gateway.store.conversations.list(
      tenant,
      defined({ limit, search, cursor, of, archived }),
    );
    return {
      conversations: page.conversations.map((one) => toApi(one, busy)),
      next: page.next,
    };
  },

  async createConversation(context) {
    const { gateway, tenant } = context;
    const { title, model, system, settings } = await bodyToStore(context, schemas.newConversation);
    const global = await readGlobalSettings(gateway, tenant);
    const chosen = model ?? settings?.model ?? global.model ?? "";
    const upstream = upstreamOf(gateway.upstreams, chosen);
    const speaksChat = upstream === undefined || upstream.dialects.includes("openai-chat");
    const wire = wireOfDialect(speaksChat ? "openai-chat" : upstream.dialects[0]);
    const { dialect } = wire;
    const own = settings && changed<ChatSettings>({}, settings);
    if (own && setsSomething(own)) {
      const merged = { ...givingWay(global, own), ...own };
      await checkSettings(gateway, { tenant, wire, model: chosen, settings: merged, own });
    }
    const id = await createConversation(gateway, tenant, {
      dialect,
      transcript: [],
      head: system === undefined || system === "" ? undefined : headOf(dialect.rules.system, system),
      title: title ?? "",
      model: chosen,
      meta: {
        ...(own && { settings: own }),
        ...(chosen !== "" && { model: chosen }),
        ...(title && { isNamed: true as const }),
      },
    });
    return announced(context, await findConversation(gateway, tenant, id), "created");
  },

  async importFile(context) {
    const { gateway, tenant } = context;
    const { name, text, isExample } = await context.body(schemas.importFile);
    const { limits } = gateway.config;
    const session = isExample ? exampleSession(name) : undefined;
    const known = session && (await gateway.store.conversations.findSession(tenant, session));
    if (known) return { conversations: [toApi(known, context.busy)], warnings: [], isKnown: true };
    checkValues(Buffer.from(text));
    const conversations: ApiConversation[] = [];
    const warnings: string[] = [];
    const pace = createPace();
    for (const log of readLogs(text, { name })) {
      // A file may hold thousands of conversations, and a store in memory keeps nobody waiting by itself.
      await pace.pause();
      checkAsked({ model: log.model ?? "", transcript: log.messages }, limits);
      const { warnings: found, ...transcript } = logTranscript(log);
      warnings.push(...found);
      const id = await createConversation(gateway, tenant, {
        ...transcript,
        title: log.title && firstCharacters(log.title, MAX_TITLE),
        model: log.model,
        // One that was deleted a moment ago can be had back, so it keeps its name.
        ...(session !== undefined && !known && conversations.length === 0 && { session }),
      });
      conversations.push(announced(context, await findConversation(gateway, tenant, id), "created"));
    }
    return { conversations, warnings };
  },

  async conversation({ gateway, tenant, busy, param }) {
    return toApi(await findConversation(gateway, tenant, param("id")), busy);
  },

  async changeConversation(context) {
    const { gateway, tenant, param } = context;
    const { title, pinned, archived, model, system, settings, pins } = await bodyToStore(
      context,
      schemas.conversationChanges,
    );
    const found = await findConversation(gateway, tenant, param("id"));
    const changedMeta = (meta: ChatMeta): ChatMeta => ({
      ...meta,
      ...(model !== undefined && { model }),
      ...(settings && { settings: changed(meta.settings ?? {}, settings) }),
      ...(pins && { pins }),
    });
    const next = changedMeta(metaOf(found));
    if (setsSomething(settings)) {
      const wire = wireOfDialect(found.dialect);
      const global = await readGlobalSettings(gateway, tenant);
      const own = next.settings ?? {};
      const merged = { ...givingWay(global, own), ...own };
      const named = next.settings?.model ?? next.model ?? found.model ?? merged.model ?? "";
      await checkSettings(gateway, { tenant, wire, model: named, settings: merged, own });
    }
    if (system !== undefined) {
      const { dialect } = wireOfDialect(found.dialect);
      const head = headOf(dialect.rules.system, system);
      await gateway.store.conversations.append(tenant, {
        conversation: found.id,
        messages: [],
        head,
        at: gateway.now(),
      });
    }
    const updated = await gateway.store.conversations.update(tenant, found.id, (current) => {
      if (isThrownAway(current)) throw conversationNotFound("update", current.id);
      return { ...defined({ title, pinned, archived }), meta: changedMeta(metaOf(current)) };
    });
    return announced(context, updated, "changed");
  },

  async deleteConversation(context) {
    const { gateway, tenant, param } = context;
    const { id } = await findConversation(gateway, tenant, param("id"), { thrownAway: true });
    const deletedAt = gateway.now();
    await gateway.store.conversations.update(tenant, id, { deletedAt, expiresAt: deletedAt + UNDO_MS });
    gateway.memory.forget(tenant, id);
    gateway.live.send(tenant, { type: "conversation-deleted", id });
    gateway.deletions.schedule(tenant, id, deletedAt);
    return { undoUntil: deletedAt + UNDO_MS };
  },

  async undeleteConversation(context) {
    const { gateway, tenant, param } = context;
    const found = await findConversation(gateway, tenant, param("id"), { thrownAway: true });
    const updated = await gateway.store.conversations.update(tenant, found.id, {
      deletedAt: undefined,
      expiresAt: undefined,
    });
    return announced(context, updated, "created");
  },

  async showBranch(context) {
    const { gateway, tenant, param } = context;
    const { message } = await context.body(schemas.branch);
    const { id } = await findConversation(gateway, tenant, param("id"));
    const shown = await gateway.store.conversations
      .update(tenant, id, { leaf: message })
      .catch((error: unknown) => {
        throw isRefusal(error) ? notFound(`message ${JSON.stringify(message)}`) : error;
      });
    return announced(context, shown, "changed");
  },

  async fork(context) {
    const { gateway, tenant, param } = context;
    const { length } = await context.body(schemas.fork);
    const made = await forkConversation(context.gateway, context.tenant, param("id"), length);
    return announced(context, await findConversation(gateway, tenant, made), "created");
  },

  async exportConversation({ gateway, tenant, param }) {
    const { transcript, system, conversation } = await load(gateway, tenant, param("id"));
    const lines = [...(system === undefined ? [] : [{ role: "system", content: system }]), ...transcript];
    return new Response(`${lines.map((line) => stringifyDeep(line)).join("\n")}\n`, {
      headers: {
        "content-type": "application/x-ndjson",
        "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(fileName(conversation))}.jsonl`,
      },
    });
  },
} satisfies Partial<Handlers>;

/** What a conversation is called, as far as every system takes it in the name of a file. */
const fileName = ({ title, id }: Pick<ApiConversation, "title" | "id">): string =>
  title
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, 60)
    .replace(/^-|-$/g, "") || id;

function headOf(where: "message" | "apart", system: string): string {
  return JSON.stringify(
    where === "apart" ? system : system === "" ? [] : [{ role: "system", content: system }],
  );
}
