import { encode } from "../../../apis/index.ts";
import type { Dialect } from "../../../core/types.ts";
import type { ApiError, ChatEvent } from "../../api.ts";
import { changeMeta, withSaid } from "../../conversation/chat-settings.ts";
import { findConversation, type Loaded, load } from "../../conversation/loaded.ts";
import { appendMessages } from "../../conversation/store-messages.ts";
import { notFound, RequestFault } from "../../http/request-fault.ts";
import { loggable } from "../../telemetry/log.ts";
import { announced, exclusive, showAnswer } from "../announce.ts";
import { answerChat, viewEvent } from "../answer-chat.ts";
import { apiMessages } from "../api-messages.ts";
import type { ApiContext, Handlers } from "../context.ts";
import { eventStream } from "../event-stream.ts";
import { answerOffline } from "../offline-answer.ts";
import { schemas } from "../schemas.ts";
import { titleByModel } from "../title-chat.ts";
import { compactDue } from "./compact.ts";

export const chatHandlers = {
  async chat(context) {
    const { gateway, tenant } = context;
    const input = await context.body(schemas.chat);
    const id = context.param("id");
    await useModel(context, id, input.model);
    await load(gateway, tenant, id, 0);
    return stream(context, id, async () => {
      const loaded = await load(gateway, tenant, id);
      if (input.id !== undefined && loaded.meta.said?.includes(input.id)) return known(loaded);
      const message = userMessage(loaded.dialect, input.text, input.images ?? []);
      const { conversation } = await appendMessages(gateway, tenant, loaded, [message]);
      if (input.id !== undefined) {
        const named = input.id;
        await changeMeta(gateway, tenant, conversation, (meta) => withSaid(meta, named));
      }
      return { conversation };
    });
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
    const { id } = loaded.conversation;
    // What was said there before stays, in a branch of its own.
    const edit = async () => {
      const before = await load(gateway, tenant, id, index);
      await appendMessages(gateway, tenant, before, [message]);
      return { conversation: id };
    };
    return stream(context, id, edit, asks);
  },

  async regenerate(context) {
    const { gateway, tenant } = context;
    const { index, model } = await context.body(schemas.regenerate);
    const id = context.param("id");
    const loaded = await load(gateway, tenant, id);
    const { messages, lead } = loaded;
    const before = messages.slice(0, index === undefined ? undefined : index + lead.length + 1);
    const user = before.findLastIndex(
      ({ role, parts }) => role === "user" && parts.some((part) => part.type !== "tool-result"),
    );
    if (user < 0) throw new RequestFault(400, "invalid", "There is no message of the user to answer.");
    const length = user - lead.length + 1;
    return stream(context, id, async () => {
      await useModel(context, id, model);
      return { conversation: id, length };
    });
  },
} satisfies Partial<Handlers>;

/** What was said, and what of it is to be answered. */
interface Said {
  readonly conversation: string;
  /** So many messages are answered, in a branch of their own. Left out: all. */
  readonly length?: number;
  readonly isAnswered?: true;
}

/** What was said before: if it waits for its answer, it is answered now. */
function known({ conversation: { id }, stored }: Loaded): Said {
  return stored.at(-1)?.role === "user" ? { conversation: id } : { conversation: id, isAnswered: true };
}

async function useModel(
  { gateway, tenant }: ApiContext,
  id: string,
  model: string | undefined,
): Promise<void> {
  if (model === undefined) return;
  await changeMeta(gateway, tenant, id, (meta) => ({
    ...meta,
    model,
    settings: { ...meta.settings, model },
  }));
}

/** Stores what was said, tells so, and streams the answer, which is written to its end unless a person stops it. */
function stream(context: ApiContext, id: string, say: () => Promise<Said>, asks = true): Response {
  return eventStream<ChatEvent>(context.signal, async (send) => {
    try {
      await exclusive(context, id, "answering", async (signal) => {
        const said = await say();
        if (said.isAnswered) send({ type: "known" });
        else await answer(context, { ...said, asks }, signal, send);
      });
    } catch (error) {
      send({ type: "failed", error: failureOf(context, error) });
    }
  });
}

/** Answers what was said. A failure is kept with the conversation, so that it can be seen and mended later, too. */
async function answer(
  context: ApiContext,
  said: Said & { readonly asks: boolean },
  signal: AbortSignal,
  send: (event: ChatEvent) => void,
): Promise<void> {
  const { gateway, tenant } = context;
  const { conversation: id } = said;
  const whole = await load(gateway, tenant, id);
  const loaded = said.length === undefined ? whole : await load(gateway, tenant, id, said.length);
  const shown = announced(context, whole.conversation, "changed");
  const last = await apiMessages(gateway, tenant, loaded, Math.max(0, loaded.stored.length - 1));
  const message = last.messages[0];
  send({ type: "accepted", conversation: shown, ...(message && { message }) });
  if (!said.asks) return;
  const others = showAnswer(gateway, tenant, id);
  // An earlier answer that didn't come to its end, and that a second try may come less far than.
  const newest = whole.stored.at(-1);
  const question = { loaded, instead: newest?.unfinished ? whole.stored.slice(loaded.stored.length) : [] };
  try {
    const tell = (event: ChatEvent): void => {
      send(event);
      others.take(event);
    };
    if (gateway.upstreams.length > 0) {
      await answerChat(context, question, signal, tell);
      void titleByModel(context, id).catch((error: unknown) => gateway.log.warn(loggable(error), "no title"));
    } else {
      const { report } = await compactDue(context, id, signal);
      if (report) tell(viewEvent(report));
      await answerOffline(context, await load(gateway, tenant, id, loaded.stored.length), tell);
    }
    if (whole.meta.failure) await changeMeta(gateway, tenant, id, ({ failure: _, ...meta }) => meta);
  } catch (error) {
    if (!signal.aborted) {
      await noteFailure(context, id, failureOf(context, error));
      throw error;
    }
    send({ type: "stopped", message: undefined });
  } finally {
    others.end();
  }
}

async function noteFailure(
  { gateway, tenant }: ApiContext,
  id: string,
  error: ApiError["error"],
): Promise<void> {
  const { leaf } = await findConversation(gateway, tenant, id);
  await changeMeta(gateway, tenant, id, (meta) => ({ ...meta, failure: { leaf, error } }));
}

function failureOf({ gateway }: ApiContext, error: unknown): ApiError["error"] {
  if (error instanceof Error && "code" in error && "fix" in error && typeof error.fix === "string")
    return { code: String(error.code), message: error.message, fix: error.fix };
  if (error instanceof RequestFault) return { code: error.code, message: error.message };
  gateway.log.warn(loggable(error), "an answer failed");
  const message = error instanceof Error ? error.message : String(error);
  // People on the page know who speaks.
  return {
    code: "failed",
    message: message.replace(/^precis: (.)/, (_, first: string) => first.toUpperCase()),
  };
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
