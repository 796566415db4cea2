import type { Dialect } from "../../../core/types.ts";
import { encode } from "../../../dialects/index.ts";
import type { Appended } from "../../../stores/server-store.ts";
import type { ChatEvent } from "../../api.ts";
import { type Loaded, load } from "../../conversation/loaded.ts";
import { appendMessages, forkConversation } from "../../conversation/store-messages.ts";
import { notFound, RequestFault } from "../../http/request-fault.ts";
import { loggable } from "../../telemetry/log.ts";
import { announced, exclusive } from "../announce.ts";
import { answerChat } from "../answer-chat.ts";
import { apiMessages } from "../api-messages.ts";
import type { ApiContext, Handlers } from "../context.ts";
import { eventStream } from "../event-stream.ts";
import { schemas } from "../schemas.ts";
import { showAnswer } from "../show-answer.ts";

export const chatHandlers = {
  async chat(context) {
    const input = await context.body(schemas.chat);
    const id = context.param("id");
    await useModel(context, id, input.model);
    const loaded = await load(context.gateway, context.tenant, id);
    const message = userMessage(loaded.dialect, input.text, input.images ?? []);
    return stream(context, id, () => appendMessages(context.gateway, context.tenant, loaded, [message]));
  },

  async editMessage(context) {
    const { gateway, tenant } = context;
    const { text, answer = true } = await context.body(schemas.editMessage);
    const loaded = await load(gateway, tenant, context.param("id"));
    const index = Number(context.param("index"));
    const old = loaded.messages[index + loaded.lead.length];
    if (!Number.isInteger(index) || index < 0 || !old) throw notFound(`message ${context.param("index")}`);
    if (old.role !== "user" && old.role !== "assistant")
      throw new RequestFault(400, "invalid", "Only what a person or the model said can be edited.");
    const message =
      old.role === "user"
        ? userMessage(loaded.dialect, text, [])
        : loaded.dialect.write({ role: "assistant", text });
    const asks = answer && old.role === "user";
    return stream(context, loaded.conversation.id, () => edit(context, loaded, index, message), asks);
  },

  async regenerate(context) {
    const { index, model } = await context.body(schemas.regenerate);
    const id = context.param("id");
    const loaded = await load(context.gateway, context.tenant, id);
    const { messages, lead } = loaded;
    const before = messages.slice(0, index === undefined ? undefined : index + lead.length + 1);
    const user = before.findLastIndex(
      ({ role, parts }) => role === "user" && parts.some((part) => part.type !== "tool-result"),
    );
    if (user < 0) throw new RequestFault(400, "invalid", "There is no message of the user to answer.");
    return stream(context, id, async () => {
      const fork = await forkConversation(context.gateway, context.tenant, id, user - lead.length + 1);
      await useModel(context, fork, model);
      return { conversation: fork, forkOf: id, added: 0, length: user - lead.length + 1 };
    });
  },
} satisfies Partial<Handlers>;

/** The very first message has nothing before it to fork from: then the whole conversation is a new one. */
async function edit(context: ApiContext, loaded: Loaded, index: number, message: unknown): Promise<Appended> {
  const fork = await forkConversation(context.gateway, context.tenant, loaded.conversation.id, index);
  const base = await load(context.gateway, context.tenant, fork);
  return appendMessages(context.gateway, context.tenant, base, [message]);
}

async function useModel(
  { gateway, tenant }: ApiContext,
  id: string,
  model: string | undefined,
): Promise<void> {
  if (model === undefined) return;
  const { meta, conversation } = await load(gateway, tenant, id, 0);
  await gateway.store.conversations.update(tenant, conversation.id, {
    meta: { ...meta, model, settings: { ...meta.settings, model } },
  });
}

/**
 * Stores what was said, tells so, and then streams the answer. The answer is written to its end even if nobody is there
 * to see it: only a person's `stop` ends it.
 */
function stream(context: ApiContext, id: string, say: () => Promise<Appended>, asks = true): Response {
  const { gateway, tenant } = context;
  return eventStream<ChatEvent>(context.signal, async (send) => {
    const answer = async (conversation: string, signal: AbortSignal): Promise<void> => {
      const loaded = await load(gateway, tenant, conversation);
      const shown = announced(context, loaded.conversation, conversation === id ? "changed" : "created");
      const last = await apiMessages(gateway, tenant, loaded, Math.max(0, loaded.stored.length - 1));
      const message = last.messages[0];
      send({ type: "accepted", conversation: shown, ...(message && { message }) });
      if (!asks) return;
      const others = showAnswer(gateway, tenant, conversation);
      try {
        await answerChat(context, loaded, signal, (event) => {
          send(event);
          others.take(event);
        });
      } catch (error) {
        if (!signal.aborted) throw error;
        send({ type: "stopped", message: undefined });
      } finally {
        others.end();
      }
    };
    try {
      const fork = await exclusive(context, id, "answering", async (signal) => {
        const { conversation } = await say();
        if (conversation !== id) return conversation;
        await answer(id, signal);
        return undefined;
      });
      // It is the fork that is busy from here on, so that it is the fork that can be stopped.
      if (fork !== undefined) await exclusive(context, fork, "answering", (signal) => answer(fork, signal));
    } catch (error) {
      send({ type: "failed", error: failureOf(context, error) });
    }
  });
}

function failureOf({ gateway }: ApiContext, error: unknown): { code: string; message: string; fix?: string } {
  if (error instanceof Error && "code" in error && "fix" in error && typeof error.fix === "string")
    return { code: String(error.code), message: error.message, fix: error.fix };
  if (error instanceof RequestFault) return { code: error.code, message: error.message };
  gateway.log.warn(loggable(error), "an answer failed");
  return { code: "failed", message: error instanceof Error ? error.message : String(error) };
}

/** What a person said, with pictures as data URLs, in a wire format. */
function userMessage(dialect: Dialect<unknown>, text: string, images: readonly string[]): unknown {
  if (images.length === 0) return dialect.write({ role: "user", text });
  const { messages } = encode(dialect.id, [
    {
      role: "user",
      parts: [
        ...images.map((source) => ({ type: "image" as const, source })),
        ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ],
    },
  ]);
  return messages[0];
}
