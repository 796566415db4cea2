import { saidText } from "../../core/message-text.ts";
import type { Role } from "../../core/types.ts";
import { splitAttachments } from "../api/attachments.ts";
import type { ChatEvent } from "../api.ts";
import { type Loaded, load } from "../conversation/loaded.ts";
import { appendMessages, tellingWords } from "../conversation/store-messages.ts";
import { pressureOf } from "../conversation/view-of.ts";
import { announced } from "./announce.ts";
import { apiMessages, foundIn } from "./api-messages.ts";
import type { ApiContext } from "./context.ts";

/** Answers a chat of a server without models: quotes what it holds, says so, and stores that. */
export async function answerOffline(
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
  const words = tellingWords(question);
  if (words.length === 0) return introduction(asked === 0);
  const answers = canAnswer(question);
  const hits = (await foundIn(gateway, loaded, words.join(" ")))
    .filter(({ index, role }) => index < asked && answers(role, saidText(messages[index + lead.length]!)))
    .slice(0, MOST_QUOTES)
    .sort((a, b) => a.index - b.index);
  if (hits.length === 0) return `${LIMIT}, and nothing in it holds an answer.`;
  const quotes = hits.map(({ index, role, excerpt, visible }) => {
    const hidden = visible ? "" : " (no longer in the view)";
    return `> …${excerpt.trim().replace(/\s+/g, " ")}…\n\n${SPEAKERS[role]}, #${index + 1 + lead.length}${hidden}`;
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
