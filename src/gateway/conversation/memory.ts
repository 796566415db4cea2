import type { Json } from "../../apis/shared/fields.ts";
import { forgetOldest } from "../../core/collections.ts";
import { isExactNumber, stringifyDeep } from "../../core/json.ts";
import type { CompactWish } from "../../recall/compact-tool.ts";
import type { Conversation } from "../../stores/server-store.ts";
import { timeOrderedId } from "../../stores/shared/time-ordered-id.ts";
import type { SentRequest as LastSent } from "../../tokens/billing.ts";
import type { WireAnswer } from "../wires/index.ts";
import type { ChatMeta } from "./chat-settings.ts";
import type { Said } from "./reconcile.ts";
import { answerKey } from "./transcript-record.ts";

/** What is remembered of conversations, each under its id and its newest message. */
const MAX_KNOWN = 40_000;
/** Many are forgotten at a time: the oldest one of a large map is slow to find behind all those that were deleted. */
const FORGET_AT_ONCE = 1_000;
/** What is remembered of views that were sent, and of requests whose answers clients poll for (bytes of JSON, each). */
const MAX_BYTES = 64 * 1024 * 1024;

/** A place in a stored conversation. */
export interface Place {
  readonly conversation: string;
  /** Messages up to there, and the chain hash of the last one where it may stand in another branch than the active one. */
  readonly length: number;
  readonly hash?: string | undefined;
}

/** A request whose answer is still being written when the client gets its name, and asks for it by that. */
interface Polled {
  readonly bytes: number;
  store(answer: WireAnswer): Promise<void>;
}

interface SentRequest {
  readonly request: Json;
  readonly bytes: number;
}

/**
 * What a server remembers from one request to the next: conversations by their newest message, beside the requests that are under
 * way. It is bounded, and it may be emptied at any time: the store is asked then.
 */
export type ConversationMemory = ReturnType<typeof createMemory>;

export function createMemory() {
  const conversations = new Map<string, ConversationCacheEntry>();
  const requests = createBounded<ConversationCacheEntry, SentRequest>(MAX_BYTES);
  const polls = createBounded<string, Polled>(MAX_BYTES);
  const running = new Map<string, number>();
  const hidden = createGivenAnswers();
  let recognise = createKnownMessages();
  const keep = (known: ConversationCacheEntry, name: string): void => {
    // What was used last is forgotten last.
    conversations.delete(name);
    conversations.set(name, known);
    if (conversations.size > MAX_KNOWN) forgetOldest(conversations, MAX_KNOWN - FORGET_AT_ONCE);
  };
  const dropNewest = (known: ConversationCacheEntry): void => {
    const { newest = "" } = known;
    if (conversations.get(newest) === known) conversations.delete(newest);
  };
  /** The conversation of which this is the newest message, or the id. Of two tenants that say the same, the last one: the store has both. */
  const find = (tenant: string, hashOrId: string): ConversationCacheEntry | undefined => {
    const known = conversations.get(hashOrId);
    return known?.tenant === tenant ? known : undefined;
  };
  return {
    /** The body with those messages that it shares with an earlier one as the very same objects. */
    recognise: (body: Json, bytes: number) => recognise(body, bytes),
    find,
    /** What is known of a stored conversation; as good as nothing if it wasn't seen here. */
    ofConversation(tenant: string, id: string, dialect: string): ConversationCacheEntry {
      const known = find(tenant, id) ?? stored(tenant, { id, session: id }, dialect);
      keep(known, id);
      return known;
    },
    /** `hash` is the newest message of a stored conversation from now on. */
    remember(hash: string, known: ConversationCacheEntry): void {
      dropNewest(known);
      known.newest = hash;
      if (known.id !== undefined) keep(known, known.id);
      keep(known, hash);
    },
    forget(tenant: string, id: string): void {
      const known = find(tenant, id);
      if (known) {
        dropNewest(known);
        conversations.delete(id);
      }
      hidden.forget(id);
    },
    /**
     * Forgets everything but requests under way and answers that are still being written. Nobody notices, but that the store is asked
     * more often.
     */
    empty(): void {
      conversations.clear();
      requests.clear();
      hidden.clear();
      recognise = createKnownMessages();
    },
    /** The last request of a conversation whose view isn't its transcript: a summary by continuation repeats it for the cache. */
    lastRequest: (known: ConversationCacheEntry) => requests.of(known)[0],
    /** Undefined: the last request was the transcript itself. */
    keepRequest: (known: ConversationCacheEntry, sent: SentRequest | undefined) =>
      requests.put(known, sent ? [sent] : []),
    findPolled: (tenant: string, name: string) => polls.of(nameOf(tenant, answerKey(name)))[0],
    keepPolled: (tenant: string, name: string, polled: Polled | undefined) =>
      polls.put(nameOf(tenant, answerKey(name)), polled ? [polled] : []),
    /** A request is under way; returns what ends that. Others of the same name may be. */
    begin(name: string): () => void {
      running.set(name, (running.get(name) ?? 0) + 1);
      return () => {
        const left = (running.get(name) ?? 1) - 1;
        if (left === 0) running.delete(name);
        else running.set(name, left);
      };
    },
    /** How many requests of this name are under way. */
    underWay: (name: string) => running.get(name) ?? 0,
    /** Answers of which clients were shown only a part, as this server gave them: the store may not have them yet. */
    hidden,
  };
}

const nameOf = (tenant: string, name: string): string => `${tenant} ${name}`;

/** The newest of something: some by each name, up to a number of bytes in all. */
function createBounded<K, V extends { readonly bytes: number }>(maxBytes: number) {
  const kept = new Map<K, readonly V[]>();
  let total = 0;
  const bytesOf = (values: readonly V[]): number => values.reduce((sum, { bytes }) => sum + bytes, 0);
  const remove = (name: K): void => {
    total -= bytesOf(kept.get(name) ?? []);
    kept.delete(name);
  };
  return {
    of: (name: K): readonly V[] => kept.get(name) ?? [],
    put(name: K, values: readonly V[]): void {
      remove(name);
      if (values.length > 0) kept.set(name, values);
      total += bytesOf(values);
      for (const oldest of kept.keys()) {
        if (total <= maxBytes) break;
        remove(oldest);
      }
    },
    all: () => [...kept],
    clear(): void {
      kept.clear();
      total = 0;
    },
    isEmpty: () => kept.size === 0,
  };
}

/** What is remembered of answers with rounds that clients weren't shown, in all (bytes of JSON, about). */
const MAX_HIDDEN_BYTES = 16 * 1024 * 1024;

/** Up to a number of bytes; those that were given longest ago are forgotten. */
function createGivenAnswers() {
  interface Given {
    readonly answer: HiddenAnswer;
    readonly bytes: number;
    /** The conversation, whose id may not be known yet; undefined where it couldn't be looked up. */
    readonly of: ConversationCacheEntry | undefined;
  }
  const given = createBounded<string, Given>(MAX_HIDDEN_BYTES);
  return {
    isEmpty: given.isEmpty,
    clear: given.clear,
    /** `name` names the messages before the answer. */
    find: (tenant: string, name: string) => given.of(nameOf(tenant, name)).map(({ answer }) => answer),
    keep(tenant: string, name: string, answer: HiddenAnswer, of: ConversationCacheEntry | undefined): void {
      const key = nameOf(tenant, name);
      const bytes = stringifyDeep([answer.shown, answer.real]).length;
      given.put(key, [...given.of(key), { answer, bytes, of }]);
    },
    /** Forgets those that were given in this conversation. */
    forget(id: string): void {
      for (const [key, all] of given.all()) {
        const left = all.filter(({ of }) => of?.id !== id);
        if (left.length < all.length) given.put(key, left);
      }
    },
  };
}

/** An answer of which the client was shown only a part. */
export interface HiddenAnswer {
  readonly shown: readonly Said[];
  /** All that the model said and was answered. */
  readonly real: readonly unknown[];
}

/** By the name of what stands before them, newest last; it leaves out messages of nothing but reasoning, which clients drop. */
export type HiddenAnswers = Map<string, readonly HiddenAnswer[]>;

/**
 * What a server knows of a conversation. Between two requests it may be forgotten: the store has all that matters. It has all fields
 * from the beginning: what is added later makes another kind of object of each.
 */
export class ConversationCacheEntry {
  readonly tenant: string;
  /** Its id, once it is in the store. */
  id: string | undefined = undefined;
  /** Stays the same for as long as the conversation lasts, unless the client names the provider's own conversation. */
  session: string;
  /** Nobody gave it a name: it goes by its id, which is known before it is stored. */
  goesById: boolean;
  /** One more conversation of a name that another one has. */
  isOneMore = false;
  /** A request asked for it by name: it is for those who say that name. */
  isNamed = false;
  /** Messages of another wire format are another conversation, even if they say the same. */
  readonly dialect: string;
  /** Chain hash of the newest stored message. */
  newest: string | undefined = undefined;
  /** Names the system prompt as stored. */
  head: string | undefined = undefined;
  lastRequestAt = 0;
  /** The view that was sent last; undefined if this server doesn't know. */
  sent: LastSent | undefined = undefined;
  /** Tool rounds seen since the last compaction, by what was called, to notice a client that goes in circles. */
  rounds: Map<string, number> | undefined = undefined;
  /** What was set for it on the page, and until when that is believed. */
  meta: { readonly of: ChatMeta; readonly isThrownAway: boolean; readonly until: number } | undefined =
    undefined;
  /** Its answers with rounds that the client wasn't shown; undefined: nobody has looked yet. */
  hidden: HiddenAnswers | undefined = undefined;
  /** A compaction that the model asked for, which waits for the end of its turn. */
  compactWish: CompactWish | undefined = undefined;

  /** Without a session, one that begins here. */
  constructor(tenant: string, dialect: string, session?: string) {
    this.tenant = tenant;
    this.dialect = dialect;
    this.goesById = session === undefined;
    this.session = session ?? timeOrderedId();
  }
}

/** One that is in the store. */
export function stored(
  tenant: string,
  { id, session }: Pick<Conversation, "id" | "session">,
  dialect: string,
): ConversationCacheEntry {
  return Object.assign(new ConversationCacheEntry(tenant, dialect, session), {
    id,
    goesById: session === id,
  });
}

/** What comes in smaller bodies is read faster than it is looked up (bytes). */
export const LEAST_BYTES = 8_192;
/** What is remembered of bodies, in all (bytes of JSON). */
const MESSAGE_BYTES = 24 * 1024 * 1024;
/** One body may take this share of it. */
const MAX_SHARE = 4;
/** Fields that hold the messages. */
const MESSAGE_LISTS = ["messages", "input", "contents"] as const;
/** Lists that begin alike are told apart by so many of their first messages: the system prompt and the first question. */
const FOUND_BY = 2;
/** Lists that begin alike and are remembered, the newest of them: branches of a conversation, sub-agents with the same task. */
const MAX_TWINS = 4;
/** What is nested deeper than this is compared as text, which needs no stack. */
const MAX_DEPTH = 20;

interface Known {
  readonly messages: readonly unknown[];
  readonly bytes: number;
}

/**
 * Clients send a conversation again with a few messages more. What is remembered of messages (how they are read, counted, hashed)
 * hangs on the objects, so those of an earlier body take the place of new ones that are the same.
 */
export function createKnownMessages(maxBytes = MESSAGE_BYTES): (body: Json, bytes: number) => Json {
  const known = createBounded<string, Known>(maxBytes);
  return (body, bytes) => {
    if (bytes < LEAST_BYTES || bytes > maxBytes / MAX_SHARE) return body;
    const name = MESSAGE_LISTS.find((one) => Array.isArray(body[one]));
    const list = name && (body[name] as readonly unknown[]);
    if (!list || list.length === 0) return body;
    const key = keyOf(list);
    const twins = known.of(key);
    let best: Known | undefined;
    let shared = 0;
    for (const one of twins) {
      const same = sharedBy(one.messages, list);
      if (same <= shared) continue;
      best = one;
      shared = same;
    }
    const messages = best ? [...best.messages.slice(0, shared), ...list.slice(shared)] : list;
    // What the new one has all of will not be asked for again.
    const others = twins.filter((one) => one !== best || shared < one.messages.length);
    known.put(key, [{ messages, bytes }, ...others].slice(0, MAX_TWINS));
    return best ? { ...body, [name]: messages } : body;
  };
}

function keyOf(list: readonly unknown[]): string {
  return list
    .slice(0, FOUND_BY)
    .map((message) => {
      const text = stringifyDeep(message);
      return `${text.length} ${text.slice(-KEY_CHARS)}`;
    })
    .join("\n");
}

/** Characters of a message in the key: its end, because system prompts begin alike. */
const KEY_CHARS = 200;

/** Messages at the beginning that are the same. */
function sharedBy(known: readonly unknown[], list: readonly unknown[]): number {
  let same = 0;
  while (same < known.length && same < list.length && isSame(known[same], list[same])) same++;
  return same;
}

/** Would both be the same JSON text? */
function isSame(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (depth > MAX_DEPTH || isExactNumber(a) || isExactNumber(b)) return stringifyDeep(a) === stringifyDeep(b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  const others = Object.keys(b);
  if (keys.length !== others.length) return false;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at]!;
    if (key !== others[at] || !isSame((a as Json)[key], (b as Json)[key], depth + 1)) return false;
  }
  return true;
}
