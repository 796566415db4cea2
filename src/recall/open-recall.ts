import {
  anything,
  type Checks,
  checkCounter,
  checkDialect,
  checkNames,
  hasMethods,
  isObject,
  ofKind,
  ofTokens,
  refused,
  said,
  text,
} from "../core/check.ts";
import type { Dialect, Message, Role, Run, TokenCounter } from "../core/types.ts";
import { gatherCandidates, type RecallIndex } from "./candidates.ts";
import { type ConversationIndex, createConversationIndex, fileChanges } from "./conversation-index.ts";
import { bestStretch, shown } from "./excerpt.ts";
import { type Passage, passagesOf, quoteEntry, quoteText } from "./passages.ts";
import { createPause } from "./pause.ts";
import { readQuery } from "./query.ts";
import { type ReadWhat, readRange } from "./read-range.ts";
import { roughCounter } from "./rough-counter.ts";
import {
  type Embed,
  type OwnSearchOptions,
  type SearchOptions,
  type SearchResult,
  searchCandidates,
} from "./search.ts";
import { storedTranscript, type TranscriptStore } from "./stored-transcript.ts";
import { type TimelineTurn, timelineOf } from "./timeline.ts";
import { type ShownView, visibleText } from "./visible-text.ts";

/** What every way to open a recall takes. */
export interface RecallSettings {
  /** Counts what hits take. Default: characters divided by four, in dense scripts (Chinese, Japanese, Korean) all of them. */
  readonly counter?: TokenCounter;
  /** Compares the best hits by their meaning as well, for hosts that have an embedder. */
  readonly embed?: Embed;
}

/** What `openRecall` searches. */
export type OpenRecallOptions<M> = RecallSettings &
  (
    | {
        readonly dialect: Dialect<M>;
        /** The host's own array. It may grow and change: what is new is read at the next search. */
        readonly transcript: readonly M[];
      }
    | { readonly store: TranscriptStore; readonly tenant: string; readonly conversation: string }
  );

/** One message, as `read` gives it. */
export interface ReadMessage {
  readonly index: number;
  readonly role: Role;
  /** What it says, quoted. */
  readonly text: string;
}

/** What `read` and `timeline` may take. */
export interface ReadOptions {
  /** Tokens of all texts together. Default 4,000. */
  readonly tokens?: number;
}

/** What `read` takes within precis. */
export interface OwnReadOptions extends ReadOptions {
  /** What this view shows isn't read: whoever asks has it. */
  readonly view?: ShownView;
}

/** Searches and reads back a conversation, whatever of it a view hides. */
export interface Recall {
  /** Finds messages by words, `"phrases"`, names and paths, or by a regular expression. */
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  /** Messages by their pointer, by an id, or around one. */
  read(what: ReadWhat, options?: ReadOptions): Promise<{ readonly messages: readonly ReadMessage[] }>;
  /** What happened, turn by turn; the newest turns if not all fit. */
  timeline(options?: ReadOptions): Promise<{ readonly turns: readonly TimelineTurn[] }>;
}

const DEFAULT_READ_TOKENS = 4_000;
/** Candidates that an index of others is asked for. */
const MAX_CANDIDATES = 400;

/**
 * Opens a conversation for search: a transcript in memory, or one in a store.
 *
 * @example
 * ```ts
 * import { openaiChat } from "precis/dialects";
 * import { openRecall } from "precis/recall";
 *
 * const transcript = [{ role: "user", content: "The staging database is called amber-7." }];
 * const recall = openRecall({ dialect: openaiChat, transcript });
 * const { hits } = await recall.search("name of the staging database");
 * console.log(hits[0]?.index, hits[0]?.text);
 * ```
 */
export function openRecall<M>(options: OpenRecallOptions<M>): Recall {
  checkOpen(options);
  const counter = options.counter ?? roughCounter;
  const count = (text: string) => counter.count(text);
  const conversation = opened(options);
  return {
    async search(query, given: OwnSearchOptions = {}) {
      checkSearch(query, given);
      return conversation(({ index, messages }) => {
        const visible = given.view && visibleText(given.view, messages, index, 0);
        return searchCandidates(index, query, {
          ...given,
          count,
          embed: options.embed,
          changedAfter: fileChanges(messages),
          visible,
        });
      });
    },
    read: (what, { tokens = DEFAULT_READ_TOKENS, view }: OwnReadOptions = {}) =>
      conversation(({ index, messages, wire }) => {
        const { from, to } = readRange(what, messages.length, (id) => placeOf(id, messages, wire));
        const visible = view && visibleText(view, messages, index, 0);
        const isWanted = (at: number, passage: Passage) =>
          !visible || visible.isHidden(at) || visible.unseen(at, passage).length > 0;
        return { messages: readMessages(messages, { from, to }, { tokens, count, isWanted }) };
      }),
    timeline: ({ tokens = DEFAULT_READ_TOKENS } = {}) =>
      conversation(({ messages }) => {
        let left = tokens;
        const turns: TimelineTurn[] = [];
        for (const turn of timelineOf(messages).toReversed()) {
          left -= count(turn.text);
          if (left < 0) break;
          turns.unshift(turn);
        }
        return { turns };
      }),
  };
}

const OPEN_FIX =
  "Call `openRecall({ dialect, transcript })`, or `openRecall({ store, tenant, conversation })`.";
const name = text(OPEN_FIX);
type Names = { readonly [name: string]: unknown };
const OPEN: Checks<Names> = {
  dialect: checkDialect,
  transcript(transcript, option) {
    if (!Array.isArray(transcript)) throw refused(option, `${said(transcript)} isn't a list.`, OPEN_FIX);
  },
  store(store, option) {
    if (!hasMethods((store as Partial<TranscriptStore> | null)?.conversations, "get", "head", "read"))
      throw refused(option, `${said(store)} is no store for servers.`, OPEN_FIX);
  },
  tenant: name,
  conversation: name,
  counter: checkCounter,
  embed(embed, option) {
    if (typeof embed !== "function") throw refused(option, `${said(embed)} isn't a function.`, OPEN_FIX);
  },
};
const SEARCH: Checks<OwnSearchOptions> = {
  limit: ofKind({ is: "count", what: "number of hits", least: 0 }),
  tokens: ofTokens(0),
  regex(value, option) {
    if (typeof value !== "boolean")
      throw refused(option, `${said(value)} isn't a boolean.`, "Give true or false.");
  },
  signal: anything,
  view: anything,
};

function checkOpen(options: unknown): void {
  if (!isObject(options)) throw refused("dialect", "no options are given.", OPEN_FIX);
  const given = options as Names;
  const needed = "store" in given ? ["store", "tenant", "conversation"] : ["dialect", "transcript"];
  for (const one of needed) if (given[one] === undefined) throw refused(one, "it is required.", OPEN_FIX);
  checkNames(options, OPEN);
}

function checkSearch(query: unknown, options: unknown): void {
  const fix = 'Call `search("words to look for", { limit: 10 })`.';
  if (typeof query !== "string") throw refused("query", `${said(query)} isn't a text.`, fix);
  if (!isObject(options)) throw refused("search", `${said(options)} isn't an object.`, fix);
  checkNames(options, SEARCH);
}

/** Searches an index that others keep, such as that of a database, over one or many conversations. */
export function searchIndex(index: RecallIndex, settings: RecallSettings = {}): Pick<Recall, "search"> {
  const counter = settings.counter ?? roughCounter;
  return {
    async search(query, options = {}) {
      const { terms } = readQuery(query);
      const { signal } = options;
      const found = await index.candidates({ terms, limit: MAX_CANDIDATES, ...(signal && { signal }) });
      return searchCandidates(gatherCandidates(found.messages, terms, found.statistics), query, {
        ...options,
        count: (text) => counter.count(text),
        embed: settings.embed,
      });
    },
  };
}

/** A conversation as it was when somebody asked. */
type Opened = ConversationIndex<unknown> & { readonly wire: readonly unknown[] };

/**
 * Hands over the conversation as it is now, read as far as it has grown since the last time. That goes with pauses, and one question
 * waits for the one before it: the index must not change under either.
 */
function opened<M>(
  options: OpenRecallOptions<M>,
): <T>(answer: (conversation: Opened) => T | Promise<T>) => Promise<T> {
  const read = "transcript" in options ? givenTranscript(options) : storedConversation(options);
  let last: Promise<unknown> = Promise.resolve();
  return (answer) => {
    const conversation = read();
    const answered = last.then(conversation).then(answer);
    last = answered.catch(() => undefined);
    return answered;
  };
}

function givenTranscript<M>({
  dialect,
  transcript,
}: Extract<OpenRecallOptions<M>, { dialect: unknown }>): () => () => Promise<Opened> {
  const index = createConversationIndex<unknown>(dialect as Dialect<unknown>);
  return () => {
    // The host may go on with its list while it is read.
    const wire: readonly unknown[] = [...transcript];
    return async () => {
      await index.update(wire, createPause());
      return { ...index, wire };
    };
  };
}

function storedConversation({
  store,
  tenant,
  conversation,
}: Extract<OpenRecallOptions<unknown>, { store: unknown }>): () => () => Promise<Opened> {
  let stored: ReturnType<typeof storedTranscript> | undefined;
  let index: ConversationIndex<unknown> | undefined;
  return () => async () => {
    stored ??= storedTranscript(store, tenant, conversation);
    const { dialect, read } = await stored;
    index ??= createConversationIndex(dialect);
    const wire = await read();
    // What is stored only grows.
    await index.update(wire, createPause(), index.messages.length);
    return { ...index, wire };
  };
}

/** The message of this id, or the first one with a call of this id. */
function placeOf(id: string, messages: readonly Message[], wire: readonly unknown[]): number | undefined {
  const byId = wire.findIndex((one) => (one as { readonly id?: unknown } | null)?.id === id);
  const at =
    byId >= 0
      ? byId
      : messages.findIndex(({ parts }) =>
          parts.some((part) => (part.type === "tool-call" || part.type === "tool-result") && part.id === id),
        );
  return at < 0 ? undefined : at;
}

/** Once nothing more has room, so many messages are tried: one that is short may follow, but not each of ten thousand is measured for that. */
const MOST_TRIED = 20;

/** Messages as they were said, each quoted; the last one that fits is shortened. */
function readMessages(
  messages: readonly Message[],
  { from, to }: Run,
  {
    tokens,
    count,
    isWanted,
  }: {
    readonly tokens: number;
    readonly count: (text: string) => number;
    readonly isWanted: (index: number, passage: Passage) => boolean;
  },
): ReadMessage[] {
  const tools = new Map<string, string>();
  for (const { parts } of messages)
    for (const part of parts) if (part.type === "tool-call") tools.set(part.id, part.name);
  const read: ReadMessage[] = [];
  let left = tokens;
  let tried = 0;
  for (let index = from; index < to && left > 0 && tried < MOST_TRIED; index++) {
    const message = messages[index]!;
    const texts: string[] = [];
    for (const passage of passagesOf(message, (id) => tools.get(id))) {
      if (!isWanted(index, passage)) continue;
      const write = (text: string) => quoteText(quoteEntry(index, { ...passage, text }));
      const stretch = bestStretch(passage.text, new Set(), (text) => count(write(text)) <= left);
      if (!stretch) {
        tried++;
        break;
      }
      const text = write(shown(passage.text, stretch));
      left -= count(text);
      texts.push(text);
    }
    if (texts.length > 0) read.push({ index, role: message.role, text: texts.join("\n") });
  }
  return read;
}
