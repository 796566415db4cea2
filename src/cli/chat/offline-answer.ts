import { quoteAnswer } from "../../gateway/api/quote-answer.ts";
import { routes } from "../../gateway/api.ts";
import { leadOf } from "./numbers.ts";
import type { ChatSession } from "./session.ts";

/** The label of the assistant that is none. */
export const OFFLINE_NAME = "offline assistant";

/** Said when a chat begins without a model. */
export const OFFLINE_NOTE =
  "No model is configured. The offline assistant is not a language model: it answers only by quoting what this conversation already holds.";
export const OFFLINE_HOW =
  "To chat with a model: set OPENAI_API_KEY or ANTHROPIC_API_KEY, or start with --upstream and a local server. precis doctor tells what this machine has.";

const MOST_HITS = 50;

/** Stores what was said, quotes an answer, stores it too. */
export async function answerOffline(session: ChatSession, text: string): Promise<string> {
  const { api } = session;
  const params = { id: await session.ensure(text) };
  const said = await api.call(routes.appendMessage, { params, body: { role: "user", text } });
  const conversation = await api.call(routes.conversation, { params });
  const answer = await quoteAnswer(text, {
    before: said.messages[0]?.index ?? said.total - 1,
    lead: leadOf(said, conversation.dialect),
    words: {
      answer: "No model is configured, so I can only quote this conversation:",
      hidden: "(no longer in the view)",
      nothing: (words) =>
        words.length === 0
          ? "No model is configured, so I can only quote this conversation. Ask about something that was said in it."
          : `No model is configured, so I can only quote this conversation, and nothing in it holds ${words.map((word) => `“${word}”`).join(", ")}.`,
      roles: { system: "System prompt", user: "You", assistant: "Assistant", tool: "Tool" },
    },
    recall: async (q) => (await api.call(routes.recall, { params, query: { q, limit: MOST_HITS } })).hits,
  });
  await api.call(routes.appendMessage, { params, body: { role: "assistant", text: answer } });
  return answer;
}

/** Compacts when that is due: with a model, the server does so as it makes the request. */
export async function compactWhenDue(session: ChatSession): Promise<void> {
  const { api } = session;
  const [pressure, conversation, settings] = await Promise.all([
    session.pressure(),
    session.conversation(),
    api.call(routes.settings),
  ]);
  const auto = conversation?.settings.auto ?? settings.settings.auto ?? settings.defaults.auto;
  if (auto && pressure !== undefined && pressure.pressure >= pressure.startsAt)
    await session.compact(undefined);
}
