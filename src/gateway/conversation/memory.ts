import type { Json } from "../../apis/shared/fields.ts";
import type { WireAnswer } from "../wires/index.ts";
import { type ConversationCacheEntry, invented } from "./conversation-cache-entry.ts";
import { createGivenAnswers, type GivenAnswers } from "./hidden-answers.ts";
import { createKnownChains, createKnownMessages, type KnownChains } from "./known-messages.ts";
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
export interface ConversationMemory {
  /** The body with those messages that it shares with an earlier one as the very same objects. */
  recognise(body: Json, bytes: number): Json;
  /** Hashes of transcripts whose messages come again as the same objects. */
  readonly chains: KnownChains;
  /** The conversation of which this is the newest message, or the id. */
  find(tenant: string, hashOrId: string): ConversationCacheEntry | undefined;
  /** What is known of a stored conversation; as good as nothing if it wasn't seen here. */
  ofConversation(tenant: string, id: string, dialect: string): ConversationCacheEntry;
  /** `hash` is the newest message of a stored conversation from now on. */
  remember(hash: string, known: ConversationCacheEntry): void;
  forget(tenant: string, id: string): void;
  /** Forgets all conversations. Nobody notices, but that the store is asked more often. */
  empty(): void;
  /** The last request of a conversation whose view isn't its transcript: a summary by continuation repeats it for the cache. */
  lastRequest(known: ConversationCacheEntry): SentRequest | undefined;
  /** Undefined: the last request was the transcript itself. */
  keepRequest(known: ConversationCacheEntry, sent: SentRequest | undefined): void;
  findPolled(tenant: string, name: string): Polled | undefined;
  keepPolled(tenant: string, name: string, polled: Polled | undefined): void;
  /** A request is under way; returns what ends that. Others of the same name may be. */
  begin(name: string): () => void;
  /** How many requests of this name are under way. */
  underWay(name: string): number;
  /** Answers of which clients were shown only a part, as this server gave them: the store may not have them yet. */
  readonly hidden: GivenAnswers;
}

export function createMemory(): ConversationMemory {
  const conversations = new Map<string, ConversationCacheEntry>();
  const requests = createBounded<ConversationCacheEntry, SentRequest>(MAX_BYTES);
  const polls = createBounded<string, Polled>(MAX_BYTES);
  const running = new Map<string, number>();
  const hidden = createGivenAnswers();
  const keep = (known: ConversationCacheEntry, name: string): void => {
    const key = nameOf(known.tenant, name);
    // What was used last is forgotten last.
    conversations.delete(key);
    conversations.set(key, known);
    if (conversations.size <= MAX_KNOWN) return;
    let left = FORGET_AT_ONCE;
    for (const oldest of conversations.keys()) {
      conversations.delete(oldest);
      if (--left === 0) break;
    }
  };
  const dropNewest = (known: ConversationCacheEntry): void => {
    const key = nameOf(known.tenant, known.newest ?? "");
    if (conversations.get(key) === known) conversations.delete(key);
  };
  return {
    recognise: createKnownMessages(),
    chains: createKnownChains(),
    find: (tenant, name) => conversations.get(nameOf(tenant, name)),
    ofConversation(tenant, id, dialect) {
      const known = conversations.get(nameOf(tenant, id)) ?? { ...invented(tenant, dialect), id };
      keep(known, id);
      return known;
    },
    remember(hash, known) {
      dropNewest(known);
      known.newest = hash;
      if (known.id !== undefined) keep(known, known.id);
      keep(known, hash);
    },
    forget(tenant, id) {
      const known = conversations.get(nameOf(tenant, id));
      if (known) dropNewest(known);
      conversations.delete(nameOf(tenant, id));
      hidden.forget(id);
    },
    empty: () => conversations.clear(),
    lastRequest: (known) => requests.get(known),
    keepRequest: (known, sent) => requests.set(known, sent),
    findPolled: (tenant, name) => polls.get(nameOf(tenant, answerKey(name))),
    keepPolled: (tenant, name, polled) => polls.set(nameOf(tenant, answerKey(name)), polled),
    begin(name) {
      running.set(name, (running.get(name) ?? 0) + 1);
      return () => {
        const left = (running.get(name) ?? 1) - 1;
        if (left === 0) running.delete(name);
        else running.set(name, left);
      };
    },
    underWay: (name) => running.get(name) ?? 0,
    hidden,
  };
}

const nameOf = (tenant: string, name: string): string => `${tenant} ${name}`;

/** The newest of something, up to a number of bytes. */
function createBounded<K, V extends { readonly bytes: number }>(maxBytes: number) {
  const kept = new Map<K, V>();
  let total = 0;
  const remove = (key: K): void => {
    total -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  };
  return {
    get: (key: K) => kept.get(key),
    set(key: K, value: V | undefined): void {
      remove(key);
      if (!value) return;
      kept.set(key, value);
      total += value.bytes;
      for (const oldest of kept.keys()) {
        if (total <= maxBytes) break;
        remove(oldest);
      }
    },
  };
}
