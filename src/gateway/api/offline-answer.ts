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
  const params = { id };
  const said = await api.call(routes.appendMessage, { params, body: { role: "user", text } });
  onSaid(said);
  const answering = said.messages[0]?.index ?? said.total - 1;
  const answer = await quoteAnswer(text, {
    lead: said.lead,
    recall: async (q) =>
      (await api.call(routes.recall, { params, query: { q, limit: MOST_HITS, answering } })).hits,
  });
  await api.call(routes.appendMessage, { params, body: { role: "assistant", text: answer } });
  return { text: answer, compacted: await api.call(routes.compact, { params, body: { whenDue: true } }) };
}
