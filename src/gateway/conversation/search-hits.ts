import type { Message } from "../../core/types.ts";
import type { FoundMessage } from "../../recall/candidates.ts";
import { bestStretch, shown } from "../../recall/excerpt.ts";
import { passagesOf } from "../../recall/passages.ts";
import { readQuery } from "../../recall/query.ts";
import { termsOf } from "../../recall/terms.ts";
import type { SearchHit } from "../api.ts";
import { type PastStore, pastOf } from "./past.ts";

/** What a person sees of a hit before it is opened (characters). */
const EXCERPT_CHARS = 180;
/** Every hit has its excerpt, however long its message is (tokens of what the search itself would quote). */
const TOKENS_PER_HIT = 1_000;

/** Searches all conversations of a tenant by the store's index, for people: plain words, and where they stand. */
export async function searchHits(
  store: PastStore,
  tenant: string,
  query: string,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<SearchHit[]> {
  const found = new Map<string, FoundMessage>();
  const keyOf = (conversation: string | undefined, index: number) => `${conversation} ${index}`;
  const watched: PastStore = {
    conversations: store.conversations,
    recallIndex: (...scope) => ({
      async candidates(wanted) {
        const answer = await store.recallIndex(...scope).candidates(wanted);
        for (const one of answer.messages) found.set(keyOf(one.conversation, one.index), one);
        return answer;
      },
    }),
  };
  const { hits } = await pastOf(watched, tenant).search(query, {
    limit,
    tokens: limit * TOKENS_PER_HIT,
    signal,
  });
  const terms = new Set(readQuery(query).terms);
  return hits.flatMap(({ conversation, index, of }): SearchHit[] => {
    const one = found.get(keyOf(conversation, index));
    return one
      ? [
          {
            conversation: of.id,
            title: of.title,
            index: index - (one.lead ?? 0),
            role: one.message.role,
            excerpt: excerptOf(one.message, terms),
            visible: true,
          },
        ]
      : [];
  });
}

/** The piece of a message that holds the most of what was asked for. */
function excerptOf(message: Message, terms: ReadonlySet<string>): string {
  let best = { text: "", held: -1 };
  for (const { text } of passagesOf(message)) {
    const held = new Set(termsOf(text).filter((term) => terms.has(term))).size;
    if (held > best.held) best = { text, held };
  }
  const stretch = bestStretch(best.text, terms, (text) => text.length <= EXCERPT_CHARS);
  return stretch ? shown(best.text, stretch) : best.text.slice(0, EXCERPT_CHARS);
}
