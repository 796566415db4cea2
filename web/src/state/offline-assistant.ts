import { quoteAnswer as quote, routes } from "../../../src/gateway/api.ts";
import { strings } from "../strings.ts";
import type { Api } from "./api-client.ts";

export { bestHits, keywords } from "../../../src/gateway/api.ts";

const MOST_HITS = 50;

/** Answers without a model: quotes what the conversation already holds, in the page's words. */
export function quoteAnswer(
  api: Api,
  id: string,
  question: string,
  { before, lead }: { readonly before: number; readonly lead: number },
): Promise<string> {
  return quote(question, {
    before,
    lead,
    words: { ...strings.offline, roles: strings.roles },
    recall: async (q) =>
      (await api.call(routes.recall, { params: { id }, query: { q, limit: MOST_HITS } })).hits,
  });
}
