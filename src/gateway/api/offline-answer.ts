import { saidText } from "../../core/message-text.ts";
import type { ApiClient } from "./client.ts";
import type { ApiMessages } from "./conversation.ts";
import { quoteAnswer } from "./quote-answer.ts";
import { routes } from "./routes.ts";
import type { CompactAnswer } from "./view.ts";

/** Messages that one word may be found in. */
const MOST_HITS = 50;

export interface OfflineAnswer {
  readonly text: string;
  /** What came of looking whether a compaction is due: with a model, the server does so as it makes the request. */
  readonly compacted: CompactAnswer;
}

/** A turn without a model: stores what was said, quotes an answer and stores it too, and compacts when that is due. */
export async function answerOffline(
  api: Pick<ApiClient, "call">,
  id: string,
  text: string,
  onSaid: (said: ApiMessages) => void = () => {},
): Promise<OfflineAnswer> {
  const said = await api.call(routes.appendMessage, { params: { id }, body: { role: "user", text } });
  onSaid(said);
  return answerSaid(api, id, text, said);
}

/** Answers the newest message, which has no answer: an earlier turn failed after it was stored. */
export async function answerOfflineAgain(api: Pick<ApiClient, "call">, id: string): Promise<OfflineAnswer> {
  const said = await api.call(routes.messages, { params: { id }, query: { last: 1 } });
  const text = said.messages[0] === undefined ? "" : saidText(said.messages[0]);
  return answerSaid(api, id, text, said);
}

async function answerSaid(
  api: Pick<ApiClient, "call">,
  id: string,
  text: string,
  said: ApiMessages,
): Promise<OfflineAnswer> {
  const params = { id };
  const answering = said.messages[0]?.index ?? said.total - 1;
  const answer = await quoteAnswer(text, {
    lead: said.lead,
    isFirst: answering === 0,
    recall: async (q) =>
      (await api.call(routes.recall, { params, query: { q, limit: MOST_HITS, answering } })).hits,
  });
  await api.call(routes.appendMessage, { params, body: { role: "assistant", text: answer } });
  return { text: answer, compacted: await api.call(routes.compact, { params, body: { whenDue: true } }) };
}
