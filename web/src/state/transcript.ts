import { type ApiMessage, type ApiMessages, type Divider, routes } from "../../../src/gateway/api.ts";
import type { Api } from "./api-client.ts";
import { createStore } from "./store.ts";

/** Messages read at a time. */
const PAGE_SIZE = 100;

interface TranscriptState {
  readonly total: number;
  /** Names the branch that these messages are of, as the server does. */
  readonly leaf: number | undefined;
  readonly system: string;
  /** Leading system messages: the numbers that people and summaries use count them, indexes don't. */
  readonly lead: number;
  /** By index; holes haven't been read yet. */
  readonly messages: ReadonlyMap<number, ApiMessage>;
  readonly dividers: readonly Divider[];
  readonly loaded: boolean;
}

export type Transcript = ReturnType<typeof createTranscript>;

/** The transcript of one conversation, read piece by piece: twenty thousand messages are never all in memory at once. */
export function createTranscript(api: Api, id: string) {
  const store = createStore<TranscriptState>({
    total: 0,
    leaf: undefined,
    system: "",
    lead: 0,
    messages: new Map(),
    dividers: [],
    loaded: false,
  });
  /** Pages that are read or being read. Cleared by `refresh`: old messages stay on screen until new ones come. */
  let pages = new Set<number>();

  const read = async (page: number) => {
    const mine = pages;
    mine.add(page);
    try {
      const from = page * PAGE_SIZE;
      const answer = await api.call(routes.messages, {
        params: { id },
        query: { from, to: from + PAGE_SIZE },
      });
      if (mine !== pages) return;
      store.set(({ messages }) => ({ ...answerState(answer), messages: merged(messages, answer.messages) }));
    } catch {
      mine.delete(page);
    }
  };

  return {
    store,
    /** Reads the newest messages, and everything that was on screen before anew. */
    async refresh() {
      const mine = new Set<number>();
      pages = mine;
      // Two pages' worth: the newest messages, wherever pages begin and end.
      const answer = await api.call(routes.messages, { params: { id }, query: { last: 2 * PAGE_SIZE } });
      for (let page = Math.ceil(answer.from / PAGE_SIZE); page * PAGE_SIZE < answer.total; page += 1)
        mine.add(page);
      if (mine !== pages) return;
      store.set(({ messages }) => {
        // A hash speaks for all that stands before it: another one there, and they are of another branch.
        const [first] = answer.messages;
        const isSame = first !== undefined && messages.get(first.index)?.hash === first.hash;
        const kept = isSame ? upTo(messages, first.index) : new Map();
        return { ...answerState(answer), messages: merged(kept, answer.messages) };
      });
    },
    /** Reads what is missing of a run of messages. */
    ensure(from: number, to: number) {
      const { total } = store.get();
      const first = Math.floor(Math.max(0, from) / PAGE_SIZE);
      const last = Math.floor(Math.max(0, Math.min(to, total) - 1) / PAGE_SIZE);
      for (let page = first; page <= last; page += 1) if (!pages.has(page)) void read(page);
    },
    /** A message that another answer of the server brought along. */
    put: (message: ApiMessage) =>
      store.set(({ messages, total }) => ({
        messages: merged(messages, [message]),
        total: Math.max(total, message.index + 1),
      })),
    /** A message that is the newest one of its branch: what followed another one in its place leaves the screen. */
    endWith: (message: ApiMessage) =>
      store.set(({ messages, dividers }) => ({
        messages: merged(upTo(messages, message.index), [message]),
        dividers: dividers.filter(({ after }) => after < message.index),
        total: message.index + 1,
      })),
  };
}

const answerState = (answer: ApiMessages) => ({
  total: answer.total,
  leaf: answer.leaf,
  system: answer.system,
  lead: answer.lead,
  dividers: answer.dividers,
  loaded: true,
});

const upTo = (messages: ReadonlyMap<number, ApiMessage>, end: number) =>
  new Map([...messages].filter(([index]) => index < end));

function merged(old: ReadonlyMap<number, ApiMessage>, fresh: readonly ApiMessage[]): Map<number, ApiMessage> {
  const all = new Map(old);
  for (const message of fresh) all.set(message.index, message);
  return all;
}

/** A line of the transcript as it is drawn: a message, or a compaction between two. */
export type Row =
  | { readonly type: "message"; readonly index: number }
  | { readonly type: "divider"; readonly divider: Divider };

export type Rows = ReturnType<typeof rowsOf>;

/** Where each row is, without a list of all of them: row n is a message, except where a divider stands. */
export function rowsOf(total: number, dividers: readonly Divider[]) {
  const sorted = dividers.toSorted((a, b) => a.after - b.after || a.at - b.at);
  /** Row numbers of the dividers, ascending. */
  const at = sorted.map((divider, nth) => Math.min(divider.after + 1, total) + nth);
  return {
    count: total + sorted.length,
    row(n: number): Row {
      let before = 0;
      for (const [nth, place] of at.entries()) {
        if (place === n) return { type: "divider", divider: sorted[nth]! };
        if (place < n) before += 1;
      }
      return { type: "message", index: n - before };
    },
    rowOfDivider(checkpoint: string): number | undefined {
      return at[sorted.findIndex((divider) => divider.checkpoint === checkpoint)];
    },
    rowOfMessage(index: number): number {
      return index + sorted.filter(({ after }) => after < index).length;
    },
  };
}
