import type { Json } from "../../apis/shared/fields.ts";
import { stringifyDeep } from "../../core/deep-json.ts";
import type { WireAnswer } from "../wires/wire.ts";
import { answerKey } from "./answer-key.ts";
import { type HiddenAnswer, invented, type Known } from "./known.ts";
import { createKnownChains, type KnownChains } from "./known-chains.ts";
import { createKnownMessages } from "./known-messages.ts";

/** Conversations that are remembered by each of what they are found by, and answers that are remembered by name. */
const MAX_KNOWN = 20_000;
/** Many are forgotten at a time: the oldest one of a large map is slow to find behind all those that were deleted. */
const FORGET_AT_ONCE = 1_000;
/** What is remembered of views that were sent, in all (bytes of JSON). */
const MAX_REQUEST_BYTES = 64 * 1024 * 1024;
/** What is remembered of requests whose answers clients poll for, in all (bytes of JSON). */
const MAX_POLLED_BYTES = 64 * 1024 * 1024;
/** What is remembered of answers with rounds that clients weren't shown, in all (bytes of JSON, about). */
const MAX_HIDDEN_BYTES = 16 * 1024 * 1024;
/** Longer names of answers are remembered by their hash (characters). */
const MAX_NAME = 200;

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
 * What a node remembers of conversations from one request to the next: what they begin with (as bytes, as messages, as
 * hashes), what was sent of them, and what their answers are called. All of it is bounded, and all of it is found again
 * without: in the store, or by looking at the whole request.
 */
export interface ConversationMemory {
  /** The body with those messages that it shares with an earlier one as the very same objects. */
  recognise(body: Json, bytes: number): Json;
  /** Hashes of transcripts whose messages come again as the same objects. */
  readonly chains: KnownChains;
  /**
   * The longest prefix that is known: how many messages, and of which conversation. Of several with the very same
   * messages, the one of the same lane. With `unnamed`, a conversation that somebody asked for by name comes last: one of
   * the same lane that the request simply goes on with is taken before it, even if it is shorter. With `id`, only that one.
   */
  find(
    tenant: string,
    chain: readonly string[],
    of: {
      readonly lane: string;
      readonly dialect: string;
      readonly unnamed?: boolean;
      readonly id?: string;
    },
  ): { readonly known: Known; readonly matched: number } | undefined;
  /** What is known of a stored conversation; as good as nothing if it wasn't seen here. */
  ofConversation(tenant: string, id: string, dialect: string): Known;
  remember(hash: string, known: Known): void;
  forget(id: string): void;
  /** The last request of a conversation whose view isn't its transcript: a summary by continuation repeats it for the cache. */
  lastRequest(known: Known): SentRequest | undefined;
  /** Undefined: the last request was the transcript itself. */
  keepRequest(known: Known, sent: SentRequest | undefined): void;
  /** Where an answer stands that clients may name to go on from it. */
  findAnswer(tenant: string, name: string): Place | undefined;
  keepAnswer(tenant: string, name: string, place: Place): void;
  findPolled(tenant: string, name: string): Polled | undefined;
  keepPolled(tenant: string, name: string, polled: Polled | undefined): void;
  /** Answers of which clients were shown only a part, as this node gave them: the store may not have them yet. */
  readonly hidden: GivenAnswers;
}

interface GivenAnswers {
  readonly isEmpty: boolean;
  /** `name` names the messages before the answer. */
  find(tenant: string, name: string): readonly HiddenAnswer[];
  keep(tenant: string, name: string, answer: HiddenAnswer, of: Known | undefined): void;
  /** Keeps one that another process of this server gave, and the store didn't take. */
  hear(tenant: string, name: string, answer: HiddenAnswer): void;
  /** Is one of them from another process? */
  readonly hasForeign: boolean;
  /** Forgets those that were given in this conversation. */
  forget(id: string): void;
}

/** A client that goes on adds a few messages at a time; further back nobody looks. */
const LOOK_BACK = 64;
/** The end of the last request and the end of its answer; older ends are found in the store. */
const ENDS = 2;

export function createMemory(): ConversationMemory {
  /** Of all tenants: the same words of two of them are two conversations under one hash. */
  const byHash = new Map<string, readonly Known[]>();
  const byId = new Map<string, Known>();
  const answers = new Map<string, Place>();
  const requests = createBounded<Known, SentRequest>(MAX_REQUEST_BYTES);
  const polls = createBounded<string, Polled>(MAX_POLLED_BYTES);
  const hidden = createGivenAnswers();
  const forgetAt = (hash: string, known: Known): void => {
    const left = (byHash.get(hash) ?? []).filter((one) => one !== known);
    if (left.length === 0) byHash.delete(hash);
    else byHash.set(hash, left);
  };
  const keepId = (id: string, known: Known): void => {
    const key = `${known.tenant} ${id}`;
    if (byId.get(key) !== known) keep(byId, key, known);
  };
  return {
    recognise: createKnownMessages(),
    chains: createKnownChains(),
    find(tenant, chain, { lane, dialect, unnamed, id }) {
      const stop = Math.max(1, chain.length - LOOK_BACK);
      let named: { readonly known: Known; readonly matched: number } | undefined;
      for (let length = chain.length - 1; length >= stop; length--) {
        const hash = chain[length]!;
        const found = byHash.get(hash);
        if (!found) continue;
        const own = found.filter((one) => one.tenant === tenant && (id === undefined || one.id === id));
        const known =
          (unnamed ? own.findLast((one) => one.lane === lane && !one.isNamed) : undefined) ??
          own.findLast((one) => one.lane === lane) ??
          own.findLast((one) => one.dialect === dialect);
        if (!known) continue;
        if (named && (known.isNamed || known.lane !== lane || known.newest !== hash)) continue;
        byHash.delete(hash);
        byHash.set(hash, found);
        if (!unnamed || !known.isNamed) return { known, matched: length };
        named = { known, matched: length };
      }
      return named;
    },
    ofConversation(tenant, id, dialect) {
      const known = byId.get(`${tenant} ${id}`) ?? { ...invented(tenant, "", dialect), id };
      keepId(id, known);
      return known;
    },
    remember(hash, known) {
      const hashes = known.hashes;
      if (!hashes.includes(hash)) hashes.push(hash);
      const ends = known.withoutReasoning ? ENDS + 1 : ENDS;
      while (hashes.length > ends) forgetAt(hashes.shift()!, known);
      known.newest = hash;
      if (known.id !== undefined) keepId(known.id, known);
      const others = byHash.get(hash);
      if (others === undefined) keep(byHash, hash, [known]);
      else if (!others.includes(known)) byHash.set(hash, [...withRoom(others, known.tenant), known]);
    },
    forget(id) {
      for (const [key, known] of byId) if (known.id === id) byId.delete(key);
      for (const [hash, found] of byHash)
        for (const known of found) if (known.id === id) forgetAt(hash, known);
      hidden.forget(id);
    },
    lastRequest: (known) => requests.get(known),
    keepRequest: (known, sent) => requests.set(known, sent),
    findAnswer: (tenant, name) => answers.get(answerName(tenant, name)),
    keepAnswer: (tenant, name, place) => keep(answers, answerName(tenant, name), place),
    findPolled: (tenant, name) => polls.get(answerName(tenant, name)),
    keepPolled: (tenant, name, polled) => polls.set(answerName(tenant, name), polled),
    hidden,
  };
}

/** Adds to a map, and forgets what was added first if that makes it too large. */
function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.set(key, value);
  if (map.size <= MAX_KNOWN) return;
  let left = FORGET_AT_ONCE;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    if (--left === 0) break;
  }
}

function answerName(tenant: string, name: string): string {
  return `${tenant} ${name.length <= MAX_NAME ? name : answerKey(name)}`;
}

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

/** Up to a number of bytes; those that were given longest ago are forgotten. */
function createGivenAnswers(): GivenAnswers {
  interface Given {
    readonly answer: HiddenAnswer;
    readonly bytes: number;
    /** The conversation, whose id may not be known yet; undefined where it couldn't be looked up, or another process gave the answer. */
    readonly of: Known | undefined;
  }
  const given = new Map<string, readonly Given[]>();
  let total = 0;
  let hasForeign = false;
  const remove = (key: string): void => {
    for (const { bytes } of given.get(key) ?? []) total -= bytes;
    given.delete(key);
  };
  const put = (key: string, all: readonly Given[]): void => {
    remove(key);
    if (all.length > 0) given.set(key, all);
    for (const { bytes } of all) total += bytes;
  };
  const keep: GivenAnswers["keep"] = (tenant, name, answer, of) => {
    const key = `${tenant} ${name}`;
    const bytes = stringifyDeep([answer.shown, answer.real]).length;
    put(key, [...(given.get(key) ?? []), { answer, bytes, of }]);
    for (const oldest of given.keys()) {
      if (total <= MAX_HIDDEN_BYTES) break;
      remove(oldest);
    }
  };
  return {
    get isEmpty() {
      return given.size === 0;
    },
    get hasForeign() {
      return hasForeign;
    },
    find: (tenant, name) => given.get(`${tenant} ${name}`)?.map(({ answer }) => answer) ?? [],
    keep,
    hear(tenant, name, answer) {
      hasForeign = true;
      keep(tenant, name, answer, undefined);
    },
    forget(id) {
      for (const [key, all] of [...given])
        if (all.some(({ of }) => of?.id === id))
          put(
            key,
            all.filter(({ of }) => of?.id !== id),
          );
    },
  };
}

/** Without the oldest of a tenant that has too many of them; what others have is none of its business. */
function withRoom(found: readonly Known[], tenant: string): readonly Known[] {
  const own = found.filter((one) => one.tenant === tenant);
  if (own.length < MAX_TWINS) return found;
  return found.filter((one) => one !== own[0]);
}

/** Conversations with the very same messages that are told apart. */
const MAX_TWINS = 8;
