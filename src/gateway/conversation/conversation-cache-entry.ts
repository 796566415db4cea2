import type { CompactWish } from "../../recall/compact-tool.ts";
import { timeOrderedId } from "../../stores/shared/time-ordered-id.ts";
import type { RepeatWatch } from "../../summaries/calls/repeated-calls.ts";
import type { SentRequest } from "../../tokens/receipts.ts";
import type { ChatMeta } from "./chat-settings.ts";
import type { Said } from "./reconcile.ts";

/** An answer of which the client was shown only a part. */
export interface HiddenAnswer {
  readonly shown: readonly Said[];
  /** All that the model said and was answered. */
  readonly real: readonly unknown[];
}

/** By the name of what stands before them, newest last; it leaves out messages of nothing but reasoning, which clients drop. */
export type HiddenAnswers = Map<string, readonly HiddenAnswer[]>;

/** What a server knows of a conversation. Between two requests it may be forgotten: the store has all that matters. */
export interface ConversationCacheEntry {
  readonly tenant: string;
  /** Its id, once it is in the store. */
  id: string | undefined;
  /** Stays the same for as long as the conversation lasts, unless the client names the provider's own conversation. */
  session: string;
  /** The session's name was made up here, so that no conversation can have it yet. */
  isInvented: boolean;
  /** A request asked for it by name: it is for those who say that name. */
  isNamed: boolean;
  /** Messages of another wire format are another conversation, even if they say the same. */
  readonly dialect: string;
  /** Chain hash of the newest stored message. */
  newest: string | undefined;
  /** Names the system prompt as stored. */
  head: string | undefined;
  lastRequestAt: number;
  /** The view that was sent last; undefined if this server doesn't know. */
  sent: SentRequest | undefined;
  /** Tool rounds seen since the last compaction, by what was called, to notice a client that goes in circles. */
  rounds: Map<string, number> | undefined;
  /** Notices what the newest compaction made the agent ask for again. */
  repeats: { readonly checkpoint: string; readonly watch: RepeatWatch } | undefined;
  /** What was set for it on the page, and until when that is believed. */
  meta: { readonly of: ChatMeta; readonly isThrownAway: boolean; readonly until: number } | undefined;
  /** Its answers with rounds that the client wasn't shown; undefined: nobody has looked yet. */
  hidden: HiddenAnswers | undefined;
  /** A compaction that the model asked for, which waits for the end of its turn. */
  compactWish: CompactWish | undefined;
}

/** What is known of a conversation of which only the session is. */
export function named(tenant: string, session: string, dialect: string): ConversationCacheEntry {
  return newEntry(tenant, session, dialect, false);
}

/** One that begins here, under a name that nobody can know yet. */
export function invented(tenant: string, dialect: string): ConversationCacheEntry {
  return newEntry(tenant, timeOrderedId(), dialect, true);
}

/** With all that it may ever hold: what is added later makes another kind of object of each. */
function newEntry(
  tenant: string,
  session: string,
  dialect: string,
  isInvented: boolean,
): ConversationCacheEntry {
  return {
    tenant,
    id: undefined,
    session,
    isInvented,
    isNamed: false,
    dialect,
    newest: undefined,
    head: undefined,
    lastRequestAt: 0,
    sent: undefined,
    rounds: undefined,
    repeats: undefined,
    meta: undefined,
    hidden: undefined,
    compactWish: undefined,
  };
}
