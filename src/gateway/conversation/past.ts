import { ConfigError } from "../../core/errors.ts";
import { firstCharacters } from "../../core/first-characters.ts";
import type { Message } from "../../core/types.ts";
import type { FoundMessage, RecallIndex } from "../../recall/candidates.ts";
import { openRecall, type Recall, roughCounter, searchIndex } from "../../recall/open-recall.ts";
import { passagesOf } from "../../recall/passages.ts";
import { readQuery } from "../../recall/rank.ts";
import type { Hit, SearchOptions, SearchResult } from "../../recall/search.ts";
import { termsOf } from "../../recall/terms.ts";
import { bestStretch, shown } from "../../recall/visible-text.ts";
import type { Conversation, ConversationPage, ListQuery, ServerStore } from "../../stores/server-store.ts";
import type { SearchHit } from "../api.ts";
import { createPace } from "../compaction/measure.ts";
import { isThrownAway } from "./chat-settings.ts";

export type PastStore = Pick<ServerStore, "conversations" | "recallIndex">;

interface PastHit extends Hit {
  readonly of: Conversation;
}

/** The same as in one conversation. */
const DEFAULT_HITS = 10;
const DEFAULT_TOKENS = 2_000;
/** A pattern that took too long in so many conversations isn't looked for in others. */
const MOST_EXHAUSTED = 5;

/** The stored conversations of one tenant, for those who look for something that was said. */
export type Past = ReturnType<typeof pastOf>;

export function pastOf(store: PastStore, tenant: string) {
  const open = ({ id }: Conversation): Recall => openRecall({ store, tenant, conversation: id });
  const inOne = async (query: string, of: Conversation, options: SearchOptions) => {
    const { hits, ...rest } = await open(of).search(query, options);
    return { ...rest, hits: hits.map((hit): PastHit => ({ ...hit, conversation: of.id, of })) };
  };

  /** A pattern has no words to ask an index for, so that conversations are read one after the other, the newest first. */
  const patternInAll = async (query: string, options: SearchOptions) => {
    const { limit = DEFAULT_HITS } = options;
    let { tokens = DEFAULT_TOKENS } = options;
    const hits: PastHit[] = [];
    let isPartial = false;
    let exhausted = 0;
    const pace = createPace();
    for await (const of of everyConversation(store, tenant)) {
      if (hits.length >= limit || tokens <= 0 || exhausted >= MOST_EXHAUSTED) break;
      // A database in this process keeps nobody waiting by itself.
      await pace.pause();
      const found = await inOne(query, of, { ...options, limit: limit - hits.length, tokens });
      for (const { text } of found.hits) tokens -= roughCounter.count(text);
      hits.push(...found.hits);
      if (found.partial) {
        isPartial = true;
        exhausted++;
      }
    }
    return { hits, ...(isPartial && { partial: true as const }) };
  };

  const wordsInAll = async (query: string, options: SearchOptions) => {
    const byId = new Map<string, Conversation>();
    const index = conversationsIndex(store.recallIndex(tenant), async (id) => {
      const found = await store.conversations.get(tenant, id);
      if (!found || !isToBeFound(found)) return undefined;
      byId.set(id, found);
      return found;
    });
    const { hits, ...rest } = await searchIndex(index).search(query, options);
    return {
      ...rest,
      hits: hits.flatMap((hit): PastHit[] => {
        const of = byId.get(hit.conversation ?? "");
        return of ? [{ ...hit, of }] : [];
      }),
    };
  };

  return {
    /** A page of conversations: pinned ones first, then the newest. */
    async sessions(query: Pick<ListQuery, "search" | "limit" | "cursor"> = {}): Promise<ConversationPage> {
      const { conversations, next } = await store.conversations.list(tenant, { ...query, archived: "all" });
      return { conversations: conversations.filter(isToBeFound), next };
    },
    /** The newest conversation of a session, or the one of this id. Refuses a name that there isn't. */
    async find(name: string): Promise<Conversation> {
      const { conversations } = store;
      const named = [await conversations.findSession(tenant, name), await conversations.get(tenant, name)];
      const found = named.find((one) => one !== undefined && isToBeFound(one));
      if (found) return found;
      const short = await byShortId(store, tenant, name);
      if (short) return short;
      throw new ConfigError({
        option: "session",
        message: `there is no session or conversation ${JSON.stringify(name)} of tenant ${tenant}.`,
        fix: "Take the id of one that is listed.",
      });
    },
    async search(
      query: string,
      { of, ...options }: SearchOptions & { readonly of?: Conversation } = {},
    ): Promise<Omit<SearchResult, "hits"> & { readonly hits: readonly PastHit[] }> {
      if (of) return inOne(query, of, options);
      return options.regex ? patternInAll(query, options) : wordsInAll(query, options);
    },
    /** One conversation, to read back. */
    open,
  };
}

const PAGE = 500;
/** What the command line shows of an id: its end. Less of it says too little. */
const SHORT_ID = 8;

/** The conversation whose id ends so, if it is only one of the newest. */
async function byShortId(store: PastStore, tenant: string, end: string): Promise<Conversation | undefined> {
  if (end.length < SHORT_ID) return undefined;
  const { conversations } = await store.conversations.list(tenant, { limit: PAGE, archived: "all" });
  const matches = conversations.filter((one) => isToBeFound(one) && one.id.endsWith(end));
  return matches.length === 1 ? matches[0] : undefined;
}

/** All conversations that may be found, page by page. */
async function* everyConversation(store: PastStore, tenant: string): AsyncGenerator<Conversation> {
  let cursor: string | undefined;
  do {
    const page = await store.conversations.list(tenant, {
      limit: PAGE,
      archived: "all",
      ...(cursor !== undefined && { cursor }),
    });
    yield* page.conversations.filter(isToBeFound);
    cursor = page.next;
  } while (cursor !== undefined);
}

/** What a person has thrown away isn't found. */
function isToBeFound(conversation: Conversation): boolean {
  return !isThrownAway(conversation);
}

/**
 * The index of a tenant without what isn't to be found. Forks share messages: one that is found in each of them would be
 * one answer in the place of several, so it is taken from the first.
 */
function conversationsIndex(
  index: RecallIndex,
  find: (id: string) => Promise<Conversation | undefined>,
): RecallIndex {
  return {
    async candidates(query) {
      const { statistics, messages } = await index.candidates(query);
      const ids = new Set(messages.map(({ conversation }) => conversation ?? ""));
      const found = new Set<string>();
      for (const id of ids) if (await find(id)) found.add(id);
      const toFind = messages.filter(({ conversation }) => found.has(conversation ?? ""));
      const tools = toolNames(toFind);
      const seen = new Set<string>();
      return {
        statistics,
        messages: toFind.flatMap((one): FoundMessage[] => {
          const key = `${one.index} ${JSON.stringify(one.message)}`;
          if (seen.has(key)) return [];
          seen.add(key);
          const toolOf = (call: string) => one.toolOf?.(call) ?? tools.get(`${one.conversation} ${call}`);
          return [{ ...one, toolOf }];
        }),
      };
    },
  };
}

/** Tools by conversation and call: a result rarely stands far from its call. */
function toolNames(messages: readonly FoundMessage[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { conversation, message } of messages)
    for (const part of message.parts)
      if (part.type === "tool-call") names.set(`${conversation} ${part.id}`, part.name);
  return names;
}

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
  {
    limit,
    of,
    signal,
  }: { readonly limit: number; readonly of?: ListQuery["of"] | undefined; readonly signal: AbortSignal },
): Promise<SearchHit[]> {
  const found = new Map<string, FoundMessage>();
  const keyOf = (conversation: string | undefined, index: number) => `${conversation} ${index}`;
  const watched: PastStore = {
    conversations: store.conversations,
    recallIndex: () => ({
      async candidates(wanted) {
        const answer = await store.recallIndex(tenant, { of }).candidates(wanted);
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

/** The piece of a message that holds the most of what is asked for; undefined where it holds none of it. */
export function excerptFor(message: Message, query: string): string | undefined {
  const { terms: asked, phrases } = readQuery(query);
  const terms = new Set(asked);
  return heldBy(message, terms, phrases) > 0 ? excerptOf(message, terms, phrases) : undefined;
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
