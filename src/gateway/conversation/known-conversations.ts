import { timeOrderedId } from "../../stores/shared/time-ordered-id.ts";
import type { ChatMeta } from "./chat-meta.ts";

/** Conversations whose newest message is remembered. */
const MAX_KNOWN = 20_000;

const FORGET_AT_ONCE = 1_000;

/** What a node remembers of a conversation between two requests. */
export interface Known {
  readonly tenant: string;
  /** Its id, once it is in the store. */
  id: string | undefined;
  /** Stays the same for as long as the conversation lasts, unless the client names the provider's own conversation. */
  session: string;
  /** The session's name was made up here, so that no conversation can have it yet. */
  readonly isInvented: boolean;
  /** A request asked for it by name: it is for those who say that name. */
  readonly isNamed: boolean;
  readonly lane: string;
  /** Messages of another wire format are another conversation, even if they say the same. */
  readonly dialect: string;
  /** Chain hash of the newest stored message. */
  newest: string | undefined;
  /**
   * The end of the newest answer for a client that sends it back without its reasoning, which some wire formats keep in
   * messages of their own: under which hash it comes, and which message of the store that is.
   */
  withoutReasoning: { readonly comesAs: string; readonly is: string } | undefined;
  /** Names the system prompt as stored. */
  head: string | undefined;
  lastRequestAt: number;
  /** Requests that are being answered right now. */
  underWay: number;
  /** Tool rounds seen since the last compaction, by what was called, to notice a client that goes in circles. */
  rounds: Map<string, number> | undefined;
  /** What was set for it on the page, and until when that is believed. */
  meta: { readonly of: ChatMeta; readonly until: number } | undefined;
  /** What it is found by: chain hashes. */
  hashes: string[];
}

/** Conversations by tenant and chain hash of their newest messages; the least recently used are forgotten. */
export interface KnownConversations {
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
  /** What is known of a stored conversation, whoever it is remembered for; as good as nothing if it wasn't seen here. */
  ofConversation(tenant: string, id: string, dialect: string): Known;
  remember(hash: string, known: Known): void;
  forget(id: string): void;
}

/** A client that goes on adds a few messages at a time; further back nobody looks. */
const LOOK_BACK = 64;
/** The end of the last request and the end of its answer; older ends are found in the store. */
const ENDS = 2;

export function createKnownConversations(): KnownConversations {
  /** Of all tenants: the same words of two of them are two conversations under one hash. */
  const byHash = new Map<string, readonly Known[]>();
  const byId = new Map<string, Known>();
  const forgetAt = (hash: string, known: Known): void => {
    const left = (byHash.get(hash) ?? []).filter((one) => one !== known);
    if (left.length === 0) byHash.delete(hash);
    else byHash.set(hash, left);
  };
  /** Many at a time: the oldest one of a large map is slow to find behind all those that were deleted. */
  const forgetOldest = (from: Map<string, unknown>): void => {
    let left = FORGET_AT_ONCE;
    for (const key of from.keys()) {
      from.delete(key);
      if (--left === 0) break;
    }
  };
  const keepId = (id: string, known: Known): void => {
    const key = idKey(known.tenant, id);
    if (byId.get(key) === known) return;
    byId.set(key, known);
    if (byId.size > MAX_KNOWN) forgetOldest(byId);
  };
  return {
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
      const known = byId.get(idKey(tenant, id)) ?? { ...invented(tenant, "", dialect), id };
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
      if (others === undefined) byHash.set(hash, [known]);
      else if (!others.includes(known)) byHash.set(hash, [...withRoom(others, known.tenant), known]);
      if (byHash.size > MAX_KNOWN) forgetOldest(byHash);
    },
    forget(id) {
      for (const [key, known] of byId) if (known.id === id) byId.delete(key);
      for (const [hash, found] of byHash)
        for (const known of found) if (known.id === id) forgetAt(hash, known);
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

function idKey(tenant: string, id: string): string {
  return `${tenant} ${id}`;
}

/** What is known of a conversation of which only the session is. */
export function named(tenant: string, session: string, lane: string, dialect: string): Known {
  return newKnown(tenant, session, lane, dialect, false);
}

/** One that begins here, under a name that nobody can know yet. */
export function invented(tenant: string, lane: string, dialect: string): Known {
  return newKnown(tenant, timeOrderedId(), lane, dialect, true);
}

/** With all that it may ever hold: what is added later makes another kind of object of each. */
function newKnown(
  tenant: string,
  session: string,
  lane: string,
  dialect: string,
  isInvented: boolean,
): Known {
  return {
    tenant,
    id: undefined,
    session,
    isInvented,
    isNamed: false,
    lane,
    dialect,
    newest: undefined,
    withoutReasoning: undefined,
    head: undefined,
    lastRequestAt: 0,
    underWay: 0,
    rounds: undefined,
    meta: undefined,
    hashes: [],
  };
}
