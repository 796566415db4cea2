import { encode } from "../../../apis/index.ts";
import { firstCharacters } from "../../../core/first-characters.ts";
import { saidText } from "../../../core/message-text.ts";
import type { Dialect, Role } from "../../../core/types.ts";
import { inOneLine } from "../../../stores/shared/texts.ts";
import { splitAttachments } from "../../api/chat.ts";
import { schemas } from "../../api/schemas.ts";
import type { ApiError, ChatEvent } from "../../api.ts";
import { onBehalfOf } from "../../compaction/on-behalf.ts";
import { summarizerByName, summarizerFor } from "../../compaction/summarizer.ts";
import { changeMeta, readGlobalSettings, withAnswer, withSaid } from "../../conversation/chat-settings.ts";
import { findConversation, type Loaded, load } from "../../conversation/loaded.ts";
import { appendMessages, subjectWords, titleOfChat } from "../../conversation/store-messages.ts";
import { pressureOf } from "../../conversation/view-of.ts";
import { notFound, RequestFault } from "../../http/request-fault.ts";
import { apiError } from "../../requests/describe-failure.ts";
import { recordedModel } from "../../requests/requests.ts";
import { loggable } from "../../telemetry/log.ts";
import { upstreamOf } from "../../upstream/upstream.ts";
import { wireOfDialect } from "../../wires/index.ts";
import { answerChat, viewEvent } from "../answer-chat.ts";
import type { ApiContext, Handlers } from "../context.ts";
import { announced, eventStream, exclusive, showAnswer } from "../event-stream.ts";
import { compactDue } from "./compact.ts";
import { apiMessages, foundIn } from "./messages.ts";

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
  const asked = loaded.stored.at(-1)?.hash;
  const shown = announced(context, whole.conversation, "changed");
  const last = await apiMessages(gateway, tenant, loaded, Math.max(0, loaded.stored.length - 1));
  const message = last.messages[0];
  send({ type: "accepted", conversation: shown, ...(message && { message }) });
  if (!said.asks) return;
  const others = showAnswer(gateway, tenant, id);
  const question = { loaded, answers: whole.stored.slice(loaded.stored.length) };
  try {
    const sendToAll = (event: ChatEvent): void => {
      send(event);
      others.take(event);
    };
    if (gateway.upstreams.length > 0) {
      await answerChat(context, question, signal, sendToAll);
      void titleByModel(context, id).catch((error: unknown) => gateway.log.warn(loggable(error), "no title"));
    } else {
      const { report } = await compactDue(context, id, signal);
      if (report) sendToAll(viewEvent(report));
      await answerOffline(context, await load(gateway, tenant, id, loaded.stored.length), sendToAll);
    }
    if (whole.meta.failures) await changeMeta(gateway, tenant, id, (meta) => withAnswer(meta, asked));
  } catch (error) {
    if (!signal.aborted) {
      const { leaf } = await findConversation(gateway, tenant, id);
      const failed = { leaf, error: failureOf(context, error) };
      await changeMeta(gateway, tenant, id, (meta) => withAnswer(meta, asked, failed));
      throw error;
    }
    send({ type: "stopped", message: undefined });
  } finally {
    others.end();
  }
}

/** An answer that failed, for people on the page: they know who speaks. */
function failureOf({ gateway }: ApiContext, failure: unknown): ApiError["error"] {
  const { error } = apiError(gateway.log, failure);
  return {
    ...error,
    message: error.message.replace(/^precis: (.)/, (_, first: string) => first.toUpperCase()),
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

/** So much of what was asked, and of its answer, is enough to name it (characters). */
const MATERIAL_CHARS = 1_500;
/** A longer text is no title, but an answer. */
const TITLE_CHARS = 80;
const TITLE_WORDS = 10;
/** A title takes ten tokens; models that think before take more. */
const CAP = 300;
const ASKED = "Write a title for the conversation below: three to six words in its language, nothing else.";

/** How an answer begins that only repeats what was asked. */
const ECHO = "write a title for";

/** Has a chat's model write its title after the first answer, unless a setting forbids it or somebody has named the chat. */
async function titleByModel(context: ApiContext, id: string): Promise<void> {
  const { gateway, tenant, headers, client } = context;
  if ((await readGlobalSettings(gateway, tenant)).modelTitles === false) return;
  const loaded = await load(gateway, tenant, id);
  if (loaded.meta.isNamed) return;
  // An answer may have looked something up first: that is no answer, and no question either.
  const said = loaded.messages.slice(loaded.lead.length).filter((one) => saidText(one).trim() !== "");
  const [asked, ...later] = said.filter(({ role }) => role === "user");
  const answer = said.findLast(({ role }) => role === "assistant");
  const { title } = loaded.conversation;
  if (!asked || !answer || later.length > 0 || title !== titleOfChat(gateway, loaded)) return;
  const { upstreams, windows } = gateway;
  const upstream = upstreamOf(upstreams, loaded.model);
  const config = summarizerByName(upstreams, loaded.model);
  const { window } = windows.of(upstream, loaded.model, tenant);
  const wire = wireOfDialect(upstream?.dialects[0]);
  const model =
    upstream && config && summarizerFor({ config, upstreams, upstream, wire, model: loaded.model, window });
  if (!model) return;
  const text = [asked, answer].map((one) => firstCharacters(saidText(one), MATERIAL_CHARS)).join("\n\n");
  const messages = [{ role: "user" as const, text: `${ASKED}\n\n${text}` }];
  const recorded = recordedModel(model, { requests: gateway.requests, tenant, upstream });
  const sent = { headers, keyIsOurs: client.keyIsOurs, upstream };
  const reply = await onBehalfOf({ sent, conversation: () => id }, () =>
    recorded.complete({ name: "title", messages, cap: CAP }),
  );
  const written = inOneLine(reply.text).replace(/^["“„'*#\s]+|["”“'*.\s]+$/g, "");
  const isTooLong = written.length > TITLE_CHARS || wordsOf(written).split(" ").length > TITLE_WORDS;
  if (written === "" || isTooLong || wordsOf(written).startsWith(ECHO)) return;
  const updated = await gateway.store.conversations.update(tenant, id, (current) =>
    current.title === title ? { title: written } : {},
  );
  announced(context, updated, "changed");
}

/** Answers a chat of a server without models: quotes what it holds, says so, and stores that. */
async function answerOffline(
  context: ApiContext,
  loaded: Loaded,
  send: (event: ChatEvent) => void,
): Promise<void> {
  const { gateway, tenant } = context;
  const text = await quotationFor(gateway, loaded);
  send({ type: "text", text });
  const message = loaded.dialect.write({ role: "assistant", text });
  const { conversation } = await appendMessages(gateway, tenant, loaded, [message]);
  const after = await load(gateway, tenant, conversation);
  announced(context, after.conversation, "changed");
  const { messages } = await apiMessages(gateway, tenant, after, after.stored.length - 1);
  const pressure = await pressureOf(gateway, tenant, conversation);
  send({ type: "done", message: messages[0]!, usage: undefined, pressure });
}

const MOST_QUOTES = 4;
const LIMIT = "No model is configured, so I can only quote this conversation";
const SPEAKERS = { system: "System prompt", user: "You", assistant: "Assistant", tool: "Tool" } as const;

/** What it says to whoever greets it, or asks what it is. */
const introduction = (isEmpty: boolean): string =>
  `Hello! I'm the offline assistant of precis, not a language model. ${LIMIT}.

${
  isEmpty
    ? "So far there is nothing in it: open an example or a file of yours, or go on writing."
    : "Ask about a name, a file or any word that occurs in it, and I show who said what about it, also where a summary hides it from the model."
} For real answers, connect a model: in the page's settings, or with a key such as OPENAI_API_KEY when precis starts.`;

async function quotationFor(gateway: ApiContext["gateway"], loaded: Loaded): Promise<string> {
  const { messages, lead } = loaded;
  const question = splitAttachments(saidText(messages.at(-1)!)).words;
  const asked = messages.length - 1 - lead.length;
  const words = subjectWords(question);
  if (words.length === 0) return introduction(asked === 0);
  const answers = canAnswer(question);
  const hits = (await foundIn(gateway, loaded, words.join(" ")))
    .filter(({ index, role }) => index < asked && answers(role, saidText(messages[index + lead.length]!)))
    .slice(0, MOST_QUOTES)
    .sort((a, b) => a.index - b.index);
  if (hits.length === 0) return `${LIMIT}, and nothing in it holds an answer.`;
  const quotes = hits.map(({ index, role, excerpt, visible }) => {
    const hidden = visible ? "" : " (the model no longer sees it)";
    return `> “${excerpt.trim().replace(/\s+/g, " ")}”\n\n${SPEAKERS[role]}, #${index + 1 + lead.length}${hidden}`;
  });
  return [`${LIMIT}:`, ...quotes].join("\n\n");
}

/** The words of a text, however they are spaced, punctuated and written. */
const wordsOf = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");

/** Says which texts can answer a question: none that only repeats it, and no answer of the offline assistant itself. */
function canAnswer(question: string): (role: Role, text: string) => boolean {
  const asked = wordsOf(question);
  return (role, text) => !(role === "assistant" && text.includes(LIMIT)) && wordsOf(text) !== asked;
}
