import {
  type ApiConversation,
  type ConversationChanges,
  type LiveEvent,
  routes,
  type SearchHit,
} from "../../../src/gateway/api.ts";
import type { Api } from "./api-client.ts";
import { createStore } from "./store.ts";

const PAGE_SIZE = 100;
/** A single letter or digit finds too much; an emoji, a sign or an ideograph doesn't. */
const TOO_LITTLE = /^[\p{ASCII}\p{Script=Latin}]?$/u;
const MOST_HITS = 20;
/** A search begins when nobody has typed for so long (milliseconds). */
const PAUSE_MS = 200;

export interface ConversationsState {
  readonly all: readonly ApiConversation[];
  readonly search: string;
  /** What was said, for the same words; of the last search that was answered. */
  readonly hits: readonly SearchHit[];
  readonly showArchived: boolean;
  /** There is something archived to show. */
  readonly hasArchived: boolean;
  /** Whose conversations are listed: chats of the page, or those of programs. */
  readonly of: ConversationsOf;
  readonly loaded: boolean;
  /** Cursor of the next page of the list. */
  readonly next: string | undefined;
  /** Deleted a moment ago; can be had back. */
  readonly deleted: { readonly conversation: ApiConversation; readonly undoUntil: number } | undefined;
}

type ConversationsOf = "person" | "clients";

export type Conversations = ReturnType<typeof createConversations>;

export function createConversations(api: Api) {
  const store = createStore<ConversationsState>({
    all: [],
    search: "",
    hits: [],
    showArchived: false,
    hasArchived: false,
    of: "person",
    loaded: false,
    next: undefined,
    deleted: undefined,
  });
  const page = (of: ConversationsOf, which: { readonly cursor?: string; readonly search?: string } = {}) =>
    api.call(routes.conversations, {
      query: { limit: PAGE_SIZE, of, archived: store.get().showArchived ? "all" : "hide", ...which },
    });
  /** Further ones of the list, the way they were when they were read. */
  const addListed = (listed: readonly ApiConversation[]) =>
    store.set(({ all }) => {
      const known = new Set(all.map(({ id }) => id));
      return { all: [...all, ...listed.filter(({ id }) => !known.has(id))] };
    });
  const put = (conversation: ApiConversation) =>
    store.set(({ all, showArchived, hasArchived }) => {
      const others = all.filter(({ id }) => id !== conversation.id);
      return {
        all: conversation.archived && !showArchived ? others : [...others, conversation],
        hasArchived: hasArchived || conversation.archived,
      };
    });
  const lookForArchived = async (of: ConversationsOf) => {
    const query = { limit: 1, of, archived: "only" as const };
    const { conversations } = await api.call(routes.conversations, { query });
    if (store.get().of === of) store.set({ hasArchived: conversations.length > 0 });
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const findHits = async (q: string) => {
    const { of } = store.get();
    const [{ hits }, { conversations }] = await Promise.all([
      api.call(routes.search, { query: { q, of, limit: MOST_HITS } }).catch(() => ({ hits: [] })),
      page(of, { search: wantedTitle(q) }).catch(() => ({ conversations: [] })),
    ]);
    // Whoever went on typing, or looks at others, is shown what they want now.
    if (store.get().search.trim() !== q || store.get().of !== of) return;
    addListed(conversations);
    store.set({ hits });
  };
  const findSoon = () => {
    clearTimeout(timer);
    const words = store.get().search.trim();
    if (TOO_LITTLE.test(words)) store.set({ hits: [] });
    else timer = setTimeout(() => void findHits(words), PAUSE_MS);
  };
  const load = async () => {
    const { loaded, of: asked, all: before } = store.get();
    let of = asked;
    let answer = await page(of);
    // On a server that only programs use, the page begins with theirs.
    if (!loaded && of === "person" && answer.conversations.length === 0) {
      const theirs = await page("clients");
      if (theirs.conversations.length > 0) [of, answer] = ["clients", theirs];
    }
    // Whoever chose other conversations meanwhile has asked for those.
    if (store.get().of !== asked) return;
    store.set(({ all }) => {
      // What came or went while the list was asked for is newer than the list.
      const known = new Set(before);
      const newer = all.filter((one) => ofWhom(one) !== of || !known.has(one));
      const ids = new Set([...newer, ...before.filter((one) => !all.includes(one))].map(({ id }) => id));
      const listed = answer.conversations.filter(({ id }) => !ids.has(id));
      return { all: [...newer, ...listed], next: answer.next, of, loaded: true };
    });
    void lookForArchived(of).catch(() => {});
  };
  /** Lists the conversations of others. */
  const show = async (of: ConversationsOf) => {
    store.set({ of, next: undefined, hits: [] });
    findSoon();
    await load();
  };
  return {
    store,
    load,
    put,
    async more() {
      const { next, of } = store.get();
      if (next === undefined) return;
      const answer = await page(of, { cursor: next });
      addListed(answer.conversations);
      store.set({ next: answer.next });
    },
    find(search: string) {
      store.set({ search });
      findSoon();
    },
    async showArchived(on: boolean) {
      store.set({ showArchived: on });
      await load();
    },
    show,
    /** Whoever goes to a conversation finds it in the list. */
    async showWith(conversation: ApiConversation) {
      if (ofWhom(conversation) !== store.get().of) await show(ofWhom(conversation));
    },
    async change(
      id: string,
      changes: Pick<ConversationChanges, "title" | "pinned" | "archived" | "model" | "settings">,
    ) {
      put(await api.call(routes.changeConversation, { params: { id }, body: changes }));
    },
    async remove(id: string) {
      const conversation = store.get().all.find((one) => one.id === id);
      const { undoUntil } = await api.call(routes.deleteConversation, { params: { id } });
      store.set(({ all }) => ({
        all: all.filter((one) => one.id !== id),
        deleted: conversation && { conversation, undoUntil },
      }));
    },
    async undelete() {
      const { deleted } = store.get();
      if (deleted === undefined) return undefined;
      const back = await api.call(routes.undeleteConversation, { params: { id: deleted.conversation.id } });
      store.set({ deleted: undefined });
      put(back);
      return back;
    },
    apply(event: LiveEvent) {
      if (event.type === "conversation") {
        const known = store.get().all.find(({ id }) => id === event.conversation.id);
        if (known === undefined || !isStale(event.conversation, known)) put(event.conversation);
      }
      if (event.type === "conversation-deleted")
        store.set(({ all }) => ({ all: all.filter(({ id }) => id !== event.id) }));
      else if (event.type === "hello" && event.missed) void load().catch(() => undefined);
    },
  };
}

const ofWhom = ({ client }: ApiConversation): ConversationsOf =>
  client === undefined ? "person" : "clients";

/** News of an answer whose end this page has already read: events and answers come on different connections. */
export const isStale = (news: ApiConversation, known: ApiConversation): boolean =>
  news.busy === "answering" &&
  known.busy === undefined &&
  news.updatedAt <= known.updatedAt &&
  news.messages <= known.messages;

/** A search in quotation marks is for exact words of messages; a title has them or not. */
const wantedTitle = (search: string): string => search.replaceAll('"', " ").trim();

const DAY_MS = 86_400_000;

export type GroupName = "pinned" | "today" | "week" | "older" | "archived";

/** A conversation in the list. A fork stands below what it was forked from, one level deeper. */
export interface ListedConversation {
  readonly conversation: ApiConversation;
  readonly depth: number;
}

function forksOf(
  { id }: ApiConversation,
  forks: ReadonlyMap<string | undefined, readonly ApiConversation[]>,
  depth: number,
): ListedConversation[] {
  return (forks.get(id) ?? []).flatMap((conversation) => [
    { conversation, depth },
    ...forksOf(conversation, forks, depth + 1),
  ]);
}

/**
 * The list as the sidebar shows it: what matches the search, newest first, in groups. A conversation stands with its forks, where
 * the newest of them belongs, or one that is pinned.
 */
export function grouped(
  state: Pick<ConversationsState, "all" | "search" | "of">,
  now: number,
): readonly { readonly name: GroupName; readonly conversations: readonly ListedConversation[] }[] {
  const words = wantedTitle(state.search).toLowerCase();
  const groups: Record<GroupName, ListedConversation[]> = {
    pinned: [],
    today: [],
    week: [],
    older: [],
    archived: [],
  };
  const found = state.all
    .filter((one) => ofWhom(one) === state.of && one.title.toLowerCase().includes(words))
    .sort((a, b) => b.updatedAt - a.updatedAt);
  const shown = new Set(found.map(({ id }) => id));
  const forks = Map.groupBy(found, ({ fork }) => (fork && shown.has(fork.of) ? fork.of : undefined));
  const families = (forks.get(undefined) ?? []).map((conversation) => {
    const listed = [{ conversation, depth: 0 }, ...forksOf(conversation, forks, 1)];
    return { listed, updatedAt: Math.max(...listed.map((one) => one.conversation.updatedAt)) };
  });
  for (const { listed, updatedAt } of families.sort((a, b) => b.updatedAt - a.updatedAt)) {
    const age = now - updatedAt;
    const name: GroupName = listed.every(({ conversation }) => conversation.archived)
      ? "archived"
      : listed.some(({ conversation }) => conversation.pinned)
        ? "pinned"
        : age < DAY_MS
          ? "today"
          : age < 7 * DAY_MS
            ? "week"
            : "older";
    groups[name].push(...listed);
  }
  return (["pinned", "today", "week", "older", "archived"] as const)
    .map((name) => ({ name, conversations: groups[name] }))
    .filter(({ conversations }) => conversations.length > 0);
}
