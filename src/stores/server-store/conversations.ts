import type { DialectId, Role } from "../../core/types.ts";
import type { NewRequest } from "./requests.ts";

/**
 * Conversations, each a tree of messages. A message is named by the chain hash of everything up to it, so to append is to add
 * the messages that aren't there and to make the last one the active leaf. An edit, a retry, an answer that was asked for again
 * or that the client rewrote is another child; nothing is ever replaced. What a conversation shows is the path to its leaf.
 */
export interface ConversationStore {
  /** Adds messages. When it resolves, they are in the store for good. Adding the same ones again adds nothing. */
  append(tenant: string, append: Append): Promise<Appended>;
  /** The conversation that shares the longest prefix with a transcript, given the chain hash after each message. */
  find(tenant: string, hashes: readonly string[], query?: FindQuery): Promise<FoundConversation | undefined>;
  /** What follows a message, in each branch of each conversation that holds it: the newest first, at most eight. */
  behind(tenant: string, hash: string): Promise<Branch[]>;
  /** The newest conversation of a session. */
  findSession(tenant: string, session: string): Promise<Conversation | undefined>;
  /** Where an answer of a provider stands, given its id. Of several conversations that hold it, one that ends there; then the newest. */
  findAnswer(tenant: string, answer: string): Promise<FoundAnswer | undefined>;
  get(tenant: string, id: string): Promise<Conversation | undefined>;
  /** A conversation's `meta`, and whether a person threw it away. Servers ask for it with every request. */
  meta(tenant: string, id: string): Promise<Pick<Conversation, "meta" | "deletedAt"> | undefined>;
  /** The leading system messages or the system prompt as last seen, as JSON text. */
  head(tenant: string, id: string): Promise<string | undefined>;
  /** Messages in their order, from the first one to the active leaf. */
  read(tenant: string, id: string, range?: ReadRange): Promise<StoredMessage[]>;
  /** Messages of the path that have others in their place: by position, the hashes of all of them, oldest first. */
  siblings(tenant: string, id: string): Promise<ReadonlyMap<number, readonly string[]>>;
  list(tenant: string, query?: ListQuery): Promise<ConversationPage>;
  /** `changes` as a function gets the conversation as it is; nobody else changes it in between. */
  update(
    tenant: string,
    id: string,
    changes: ConversationChanges | ((found: Conversation) => ConversationChanges),
  ): Promise<Conversation>;
  /** Removes a conversation with its messages, records, events and citations. False when there is none. */
  delete(tenant: string, id: string): Promise<boolean>;
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
   * The id of the provider's answer that ends with this message, for clients that go on by naming it. It may be given with a message
   * that is there already: then the answer is found by each of its ids, and shown with the last one.
   */
  readonly answer?: string;
  /**
   * All that the model said and was answered, as wire messages in JSON, where the client was shown only a part of it. With the
   * first message of the answer; like `answer`, it may be given with a message that is there already.
   */
  readonly given?: readonly string[];
  /** How the answer that ends with this message ended before its end: a person stopped it, it broke off, or it was as long as it may be. */
  readonly unfinished?: "stopped" | "broken" | "length";
  /** The client rewrote an answer: this stands beside it, and counts as no answer of its own. */
  readonly rewritten?: true;
}

/** What `append` takes. */
export interface Append {
  /** Left out: the newest conversation of `session`, or a new one. */
  readonly conversation?: string;
  /** The client's own id of the chat, if it has one. */
  readonly session?: string;
  /** The client asked for `session` by name: the conversation is for those who say that name. */
  readonly named?: true;
  /** One more conversation of `session`: none is looked for. */
  readonly isNew?: true;
  /** The id of a conversation that this append makes. Left out: the store makes one up. */
  readonly id?: string;
  /**
   * Without `conversation`: the messages are those of a request that may have been asked before. A conversation that ends with this message,
   * not answered, and that is as the query says, is gone on with.
   */
  readonly unanswered?: { readonly hash: string; readonly query: FindQuery };
  /** Chain hash of the message that the new ones follow. Left out: they are the first. */
  readonly after?: string;
  readonly messages: readonly NewMessage[];
  /** The leading system messages or the system prompt as JSON text. The newest is kept. */
  readonly head?: string;
  readonly dialect?: DialectId;
  readonly model?: string;
  readonly title?: string;
  /** The program whose requests make this conversation. Left out: a person's own chat. */
  readonly client?: string;
  /** The caller's own record of a conversation that this append makes. One that is there keeps its own. */
  readonly meta?: unknown;
  /** The conversation ends this long after its last message. */
  readonly ttlMs?: number;
  /** When its last message was said, in milliseconds: mostly now. */
  readonly at: number;
  /** When a conversation that this append makes came into the store, in milliseconds. Left out: at `at`. */
  readonly createdAt?: number;
  /** When these messages came into the store, in milliseconds, if they were said long before: the conversation is kept from then on. */
  readonly storedAt?: number;
  /** The row of the request that these messages came with, whose last message is among them or is the one that they follow. */
  readonly request?: NewRequest;
}

/** What `append` did. */
export interface Appended {
  readonly conversation: string;
  /** How many messages were new. */
  readonly added: number;
  /** Messages on the path to the leaf. */
  readonly length: number;
}

/** A conversation without its messages. */
export interface Conversation {
  readonly id: string;
  /** The name that it was given; without one it goes by its id. */
  readonly session: string;
  /** Somebody asked for that session by name. */
  readonly named: boolean;
  readonly title: string;
  /** The program whose request began it; undefined for a person's own chat. */
  readonly client: string | undefined;
  readonly dialect: DialectId | undefined;
  readonly model: string | undefined;
  /** Messages on the path to its leaf. */
  readonly length: number;
  /** Sum of these messages' tokens, as far as they were given. */
  readonly tokens: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When messages that were said earlier were added to it last. */
  readonly storedAt: number | undefined;
  readonly expiresAt: number | undefined;
  readonly pinned: boolean;
  readonly archived: boolean;
  /** A person threw it away and may bring it back: no list shows it, and no request goes on with it. */
  readonly deletedAt: number | undefined;
  /** It has more than one path. */
  readonly branched: boolean;
  /** Which of its messages is shown last, in the order of their arrival; undefined in an empty one. */
  readonly leaf: number | undefined;
  /** The host's own JSON: settings of the chat, pins, state. */
  readonly meta: unknown;
}

/** Which conversations `find` looks at. */
export interface FindQuery {
  /** Only those of this session. */
  readonly session?: string;
  /** Only those of this format, or of none. */
  readonly dialect?: string;
  /**
   * One that somebody asked for by name comes last: with as many messages in common an unnamed one is taken before it, and
   * so is one that has fewer but ends there, because the transcript simply goes on with it.
   */
  readonly prefer?: "unnamed";
  /** The transcript's system prompt as JSON text, null for none: of several that match alike, one that has the same is taken. */
  readonly head?: string | null;
  /** Only one that ends with the matching message and has that system prompt. */
  readonly isUnanswered?: boolean;
}

/** What one branch of a conversation holds behind a message. */
export interface Branch {
  readonly conversation: Conversation;
  readonly messages: readonly StoredMessage[];
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
  /** Messages up to the end of the answer, and the chain hash of the last one. */
  readonly length: number;
  readonly hash: string;
}

/** One message as it was stored. */
export interface StoredMessage extends NewMessage {
  readonly position: number;
}

/** Which messages to read: `from` ≤ position < `to`. */
export interface ReadRange {
  readonly from?: number;
  readonly to?: number;
  /** Chain hash of the message that the path leads to. Default: the active leaf. */
  readonly leaf?: string;
}

/** Which conversations to list: pinned ones first, then the newest. */
export interface ListQuery {
  /** Only those with these ids. */
  readonly ids?: readonly string[];
  /** Text that the title contains, in any case. */
  readonly search?: string;
  /** Only those of this session. */
  readonly session?: string;
  /** Only chats of the person, or only conversations of programs. */
  readonly of?: "person" | "clients";
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
  readonly deletedAt?: number | undefined;
  /** Chain hash of a message: its newest branch is shown from now on. */
  readonly leaf?: string;
}
