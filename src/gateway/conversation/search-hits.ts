import { firstCharacters } from "../../core/first-characters.ts";
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

/** Hits that are looked at for each one that is shown: the index also ranks messages by what stands around them. */
const LOOKED_AT_FOR_EACH = 5;

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
    limit: limit * LOOKED_AT_FOR_EACH,
    tokens: limit * LOOKED_AT_FOR_EACH * TOKENS_PER_HIT,
    signal,
  });
  const { terms: asked, phrases } = readQuery(query);
  const terms = new Set(asked);
  const wanted = hits.flatMap(({ conversation, index, of }) => {
    const one = found.get(keyOf(conversation, index));
    const held = one ? heldBy(one.message, terms, phrases) : 0;
    return one && held > 0 ? [{ one, index, of, held }] : [];
  });
  // Who types two words looks for both of them; with one only, where nothing has both.
  const most = Math.max(...wanted.map(({ held }) => held));
  const isWhole = most === terms.size;
  return wanted
    .filter(({ held }) => !isWhole || held === most)
    .slice(0, limit)
    .map(({ one, index, of }) => ({
      conversation: of.id,
      title: of.title,
      index: index - (one.lead ?? 0),
      role: one.message.role,
      excerpt: excerptOf(one.message, terms, phrases),
      visible: true,
    }));
}

/** How many of the terms a message itself holds; 0 where a phrase in quotation marks isn't in it letter for letter. */
function heldBy(message: Message, terms: ReadonlySet<string>, phrases: readonly string[]): number {
  const passages = passagesOf(message);
  const isSaid = (phrase: string): boolean => passages.some(({ text }) => holds(text, phrase));
  if (!phrases.every(isSaid)) return 0;
  return new Set(passages.flatMap(({ text }) => termsOf(text)).filter((term) => terms.has(term))).size;
}

/** A phrase may go on in the next line. */
const holds = (text: string, phrase: string): boolean =>
  text.toLowerCase().replace(/\s+/g, " ").includes(phrase.replace(/\s+/g, " "));

/** The piece of a message that holds the most of what was asked for. */
function excerptOf(message: Message, terms: ReadonlySet<string>, phrases: readonly string[]): string {
  let best = { text: "", held: -1 };
  for (const { text } of passagesOf(message)) {
    const said = phrases.filter((phrase) => holds(text, phrase)).length;
    const held = new Set(termsOf(text).filter((term) => terms.has(term))).size + said;
    if (held > best.held) best = { text, held };
  }
  const stretch = bestStretch(best.text, terms, (text) => text.length <= EXCERPT_CHARS);
  return stretch ? shown(best.text, stretch) : firstCharacters(best.text, EXCERPT_CHARS);
}
