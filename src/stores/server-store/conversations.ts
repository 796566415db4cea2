import type { DialectId, Role } from "../../core/types.ts";

/**
 * Transcripts: append-only, each message stored once however often a client sends it again. Only an answer that a client
 * says otherwise changes: it stands there as the client says it, with what was given beside it.
 */
export interface ConversationStore {
  /** Adds messages. When it resolves, they are in the store for good. Adding the same ones again adds nothing. */
  append(tenant: string, append: Append): Promise<Appended>;
  /** The conversation that shares the longest prefix with a transcript, given the chain hash after each message. */
  find(tenant: string, hashes: readonly string[], query?: FindQuery): Promise<FoundConversation | undefined>;
  /** Conversations that hold the message with this chain hash, those that changed last first; at most eight. */
  holding(tenant: string, hash: string): Promise<Conversation[]>;
  /** The newest conversation of a session. */
  findSession(tenant: string, session: string): Promise<Conversation | undefined>;
  /**
   * Where an answer of a provider stands, given its id. Of several conversations that hold it (forks share messages), one
   * that ends there; then the newest.
   */
  findAnswer(tenant: string, answer: string): Promise<FoundAnswer | undefined>;
  get(tenant: string, id: string): Promise<Conversation | undefined>;
  /** A conversation's `meta`. Servers ask for it with every request, so it waits for nothing that is being appended. */
  meta(tenant: string, id: string): Promise<unknown>;
  /** The leading system messages or the system prompt as last seen, as JSON text. */
  head(tenant: string, id: string): Promise<string | undefined>;
  /** Messages in their order. */
  read(tenant: string, id: string, range?: ReadRange): Promise<StoredMessage[]>;
  list(tenant: string, query?: ListQuery): Promise<ConversationPage>;
  /** `changes` as a function gets the conversation as it is; nobody else changes it in between. */
  update(
    tenant: string,
    id: string,
    changes: ConversationChanges | ((found: Conversation) => ConversationChanges),
  ): Promise<Conversation>;
  /**
   * Removes a conversation with its events, citations and records; messages and records that another conversation
   * still stands on stay. False when there is none.
   */
  delete(tenant: string, id: string, options?: { readonly forks?: boolean }): Promise<boolean>;
}

/** One message to add. */
export interface NewMessage {
  /** Chain hash of the transcript up to and including this message. */
  readonly hash: string;
  readonly role: Role;
  /** The wire message as JSON text; comes back as the very same text. */
  readonly wire: string;
  readonly tokens?: number;
  /** When it was said or first seen, in milliseconds. */
  readonly at: number;
  /**
   * The id of the provider's answer that ends with this message, for clients that go on by naming it. Given with a message
   * that is there already, it takes the place of the one before.
   */
  readonly answer?: string;
  /**
   * The wire messages of an answer as the provider gave it, as JSON texts, where the client said it otherwise. With the first
   * message of what the client said.
   */
  readonly given?: readonly string[];
}

/** What `append` takes. */
export interface Append {
  /** Left out: the newest conversation of `session`, or a new one. */
  readonly conversation?: string;
  /** The client's own id of the chat, if it has one. */
  readonly session?: string;
  /** The client asked for `session` by name: the conversation is for those who say that name. */
  readonly named?: true;
  /** Nobody else can know `session`, so there is no conversation of that name to look for. */
  readonly isNew?: true;
  /** Chain hash of the message that the new ones follow. Left out: they are the first. */
  readonly after?: string;
  /**
   * Chain hashes of the conversation's last messages, all of those behind `after`: the client says them otherwise, so the new
   * ones stand in their place. If others are there by now, the new ones make a fork as usual.
   */
  readonly instead?: readonly string[];
  readonly messages: readonly NewMessage[];
  /** The leading system messages or the system prompt as JSON text. The newest is kept. */
  readonly head?: string;
  readonly dialect?: DialectId;
  readonly model?: string;
  readonly title?: string;
  /** The caller's own record of a conversation that this append makes, or of a fork. One that is there keeps its own. */
  readonly meta?: unknown;
  /** The conversation ends this long after its last message. */
  readonly ttlMs?: number;
  /** When its last message was said, in milliseconds: mostly now. */
  readonly at: number;
  /** When a conversation that this append makes came into the store, in milliseconds. Left out: at `at`. */
  readonly createdAt?: number;
  /** When these messages came into the store, in milliseconds, if they were said long before: the conversation is kept from then on. */
  readonly storedAt?: number;
}

/** What `append` did. */
export interface Appended {
  /** Where the messages are now: another conversation than the given one when they made a fork. */
  readonly conversation: string;
  /** The conversation that it was forked from, if this `append` made a fork. */
  readonly forkOf: string | undefined;
  /** How many messages were new. */
  readonly added: number;
  /** Messages of the conversation, all in all. */
  readonly length: number;
}

/** A conversation without its messages. */
export interface Conversation {
  readonly id: string;
  readonly session: string | undefined;
  /** Somebody asked for that session by name. */
  readonly named: boolean;
  readonly title: string;
  readonly dialect: DialectId | undefined;
  readonly model: string | undefined;
  readonly length: number;
  /** Sum of the messages' tokens, as far as they were given. */
  readonly tokens: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When messages that were said earlier were added to it last. */
  readonly storedAt: number | undefined;
  readonly expiresAt: number | undefined;
  readonly pinned: boolean;
  readonly archived: boolean;
  /** Where it was forked, as long as that conversation exists. */
  readonly fork: { readonly of: string; readonly length: number } | undefined;
  /** The host's own JSON: settings of the chat, pins, state. */
  readonly meta: unknown;
}

/** Which conversations `find` looks at. */
export interface FindQuery {
  /** Only those of this session. */
  readonly session?: string;
  /**
   * One that somebody asked for by name comes last: with as many messages in common an unnamed one is taken before it, and
   * so is one that has fewer but ends there, because the transcript simply goes on with it.
   */
  readonly prefer?: "unnamed";
}

/** A conversation that begins like a transcript. */
export interface FoundConversation {
  readonly conversation: Conversation;
  /** How many messages they share. */
  readonly matched: number;
}

/** A conversation that holds an answer. */
export interface FoundAnswer {
  readonly conversation: Conversation;
  /** Its messages up to the end of the answer. */
  readonly length: number;
}

/** One message as it was stored. */
export interface StoredMessage extends NewMessage {
  readonly position: number;
}

/** Which messages to read: `from` ≤ position < `to`. */
export interface ReadRange {
  readonly from?: number;
  readonly to?: number;
  /** Only those behind the message with this chain hash; none if the conversation doesn't hold it. */
  readonly after?: string;
}

/** Which conversations to list: pinned ones first, then the newest. */
export interface ListQuery {
  /** Text that the title contains, in any case. */
  readonly search?: string;
  /** Only those of this session. */
  readonly session?: string;
  /** Default `hide`. */
  readonly archived?: "hide" | "only" | "all";
  /** Default 50, at most 500. */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly cursor?: string;
}

/** A page of conversations. */
export interface ConversationPage {
  readonly conversations: readonly Conversation[];
  /** Cursor of the next page, if there is one. */
  readonly next: string | undefined;
}

/** What a person may change. */
export interface ConversationChanges {
  readonly title?: string;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly meta?: unknown;
  readonly expiresAt?: number | undefined;
}
