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
import { firstCharacters } from "../core/first-characters.ts";
import { CHARS_PER_TOKEN, saidText } from "../core/message-text.ts";
import { isUserMessage, structureOf } from "../core/rounds.ts";
import type { Dialect, Message, Role, Run, TokenCounter } from "../core/types.ts";
import { typedText } from "../summaries/material/user-words.ts";
import { characterClass, DENSE } from "../summaries/text/look-alikes.ts";
import { baseName, touchedFiles } from "../summaries/write/files.ts";
import { headName, sourceName } from "../summaries/write/sections.ts";
import {
  type ConversationIndex,
  createConversationIndex,
  gatherCandidates,
  type RecallIndex,
} from "./candidates.ts";
import { fileChanges, storedTranscript, type TranscriptStore } from "./conversation-index.ts";
import { type Passage, passagesOf, quoteEntry, quoteText } from "./passages.ts";
import { createPause } from "./pause.ts";
import { readQuery } from "./rank.ts";
import {
  type Embed,
  MOST_TRIED,
  type OwnSearchOptions,
  type SearchOptions,
  type SearchResult,
  searchCandidates,
} from "./search.ts";
import { bestStretch, type ShownView, shown, visibleText } from "./visible-text.ts";

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
      throw refused(option, `${said(store)} isn't a server store.`, OPEN_FIX);
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

/** Which messages to read back: `"#12–18"`, `"#12"`, an id of a message or a call, or what stands around a message. */
export type ReadWhat =
  | string
  | { readonly id: string }
  | {
      /** Place of the message, from 0. */
      readonly around: number;
      /** Messages before and after it. Default 2. */
      readonly messages?: number;
    };

/** How messages are named, for whoever named none that is there. */
export const READ_FORMS = "Give one (#12), several (#12–18), or the id of a message or of a tool call.";

const POINTER = /^\s*#?(\d{1,9})(?:\s*[–—-]\s*#?(\d{1,9}))?\s*$/;

/** What somebody typed, as a pointer or as an id that may not be there. */
export function typedWhat(text: string): ReadWhat {
  return POINTER.test(text) ? text : { id: text };
}

/** The messages that are meant. Empty if there are none such. */
function readRange(what: ReadWhat, length: number, find: (id: string) => number | undefined): Run {
  const run = (from: number, to: number): Run => {
    const start = Math.min(Math.max(0, from), length);
    return { from: start, to: Math.max(start, Math.min(length, to)) };
  };
  if (typeof what === "object" && what !== null && "around" in what) {
    const { around, messages = 2 } = what;
    if (!Number.isInteger(around) || !(messages >= 0))
      throw refused("read", "`around` isn't the place of a message.", "Give `{ around: 11, messages: 2 }`.");
    return run(around - messages, around + messages + 1);
  }
  const pointer = typeof what === "string" ? POINTER.exec(what) : null;
  if (pointer) {
    const from = Number(pointer[1]);
    return run(from - 1, Number(pointer[2] ?? from));
  }
  const id = typeof what === "string" ? what : (what as { readonly id?: unknown } | null | undefined)?.id;
  if (typeof id !== "string" || id === "")
    throw refused("read", "it names no message.", 'Give a pointer such as "#12–18", or an id.');
  const at = find(id);
  // `{ id }` is one that may be gone; a text that is neither pointer nor id is a mistake.
  if (at === undefined && typeof what === "string")
    throw refused("read", `${said(id)} isn't a message of this conversation.`, READ_FORMS);
  return at === undefined ? run(0, 0) : run(at, at + 1);
}

/** One turn of a conversation, in a line. */
export interface TimelineTurn {
  /** First message of the turn, and the one behind its last. */
  readonly from: number;
  readonly to: number;
  /** How the user began it, which tools were called and which files were touched. */
  readonly text: string;
}

/** Characters of the user's words, and how many files are named. */
const MAX_WORDS = 160;
const MAX_FILES = 6;

function timelineOf(messages: readonly Message[]): TimelineTurn[] {
  return structureOf(messages).turns.map(({ from, to }) => {
    const turn = messages.slice(from, to);
    const notes = [tools(turn), files(turn)].filter((note) => note !== "");
    const words = isUserMessage(messages[from]!) ? firstWords(messages[from]!) : "";
    const quoted = quoteText(quoteEntry(from, { text: words, by: "user" }));
    const span = to - from > 1 ? quoted.replace(/^#\d+/, `#${from + 1}–${to}`) : quoted;
    return { from, to, text: [span.trimEnd(), ...notes].join(" · ") };
  });
}

function firstWords(message: Message): string {
  const text = typedText(saidText(message));
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= MAX_WORDS ? line : `${firstCharacters(line, MAX_WORDS).trimEnd()} …`;
}

function tools(turn: readonly Message[]): string {
  const counts = new Map<string, number>();
  for (const { parts } of turn)
    for (const part of parts)
      if (part.type === "tool-call") {
        const name = sourceName(part.name, "tool");
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
  return [...counts].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name)).join(", ");
}

function files(turn: readonly Message[]): string {
  const names = [...new Set(touchedFiles(turn).map(({ path }) => headName(baseName(path), "file")))];
  const more = names.length > MAX_FILES ? `, … (${names.length - MAX_FILES} more)` : "";
  return `${names.slice(0, MAX_FILES).join(", ")}${more}`;
}

/** Syllables of Korean, which has spaces and is as dense all the same. */
const [FIRST_SYLLABLE, LAST_SYLLABLE] = [0xac00, 0xd7a3];

/**
 * What hits take, without a vocabulary to load. Each character of a dense script (Chinese, Japanese, Korean, Thai, …) is about a token: as a
 * quarter of one it would let three times as much through as was allowed.
 */
export const roughCounter: TokenCounter = {
  id: "rough",
  count(text) {
    let dense = 0;
    for (let at = 0; at < text.length; at++) if (isDense(text.charCodeAt(at))) dense++;
    return dense + Math.ceil((text.length - dense) / CHARS_PER_TOKEN);
  },
};

function isDense(code: number): boolean {
  return characterClass(code) === DENSE || (code >= FIRST_SYLLABLE && code <= LAST_SYLLABLE);
}
