import { ConfigError } from "../../core/errors.ts";
import type { FoundMessage, RecallIndex } from "../../recall/candidates.ts";
import { openRecall, type Recall, searchIndex } from "../../recall/open-recall.ts";
import { roughCounter } from "../../recall/rough-counter.ts";
import type { Hit, SearchOptions, SearchResult } from "../../recall/search.ts";
import type { Conversation, ConversationPage, ListQuery, ServerStore } from "../../stores/server-store.ts";
import { createPace } from "../compaction/measure.ts";
import { isThrownAway } from "./chat-settings.ts";

export type PastStore = Pick<ServerStore, "conversations" | "recallIndex">;

interface PastHit extends Hit {
  readonly of: Conversation;
}

/** The stored conversations of one tenant, for those who look for something that was said. */
export interface Past {
  /** A page of conversations: pinned ones first, then the newest. */
  sessions(query?: Pick<ListQuery, "search" | "limit" | "cursor">): Promise<ConversationPage>;
  /** The newest conversation of a session, or the one of this id. Refuses a name that there isn't. */
  find(name: string): Promise<Conversation>;
  search(
    query: string,
    options?: SearchOptions & { readonly of?: Conversation },
  ): Promise<Omit<SearchResult, "hits"> & { readonly hits: readonly PastHit[] }>;
  /** One conversation, to read back. */
  open(conversation: Conversation): Recall;
}

/** The same as in one conversation. */
const DEFAULT_HITS = 10;
const DEFAULT_TOKENS = 2_000;
/** A pattern that took too long in so many conversations isn't looked for in others. */
const MOST_EXHAUSTED = 5;

export function pastOf(store: PastStore, tenant: string): Past {
  const open = ({ id }: Conversation) => openRecall({ store, tenant, conversation: id });
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
    async sessions(query = {}) {
      const { conversations, next } = await store.conversations.list(tenant, { ...query, archived: "all" });
      return { conversations: conversations.filter(isToBeFound), next };
    },
    async find(name) {
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
    async search(query, { of, ...options } = {}) {
      if (of) return inOne(query, of, options);
      return options.regex ? patternInAll(query, options) : wordsInAll(query, options);
    },
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
