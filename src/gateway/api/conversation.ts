import type {
  DialectId,
  DropReason,
  EditReason,
  Part,
  PressureReport,
  Role,
  Run,
  Summary,
  Usage,
} from "../../core/types.ts";
import type { Conversation } from "../../stores/server-store.ts";
import type { ApiError, Time } from "./route.ts";
import type { Bodies } from "./schemas.ts";
import type { ChatSettings } from "./settings.ts";

/** A conversation without its messages, as lists show it. `leaf`: another number, another branch or more of the same. */
export interface ApiConversation
  extends Pick<
    Conversation,
    | "id"
    | "title"
    | "client"
    | "model"
    | "leaf"
    | "tokens"
    | "createdAt"
    | "updatedAt"
    | "pinned"
    | "archived"
  > {
  readonly dialect: DialectId;
  /** Session id of the client, if it sent one. */
  readonly session: string | undefined;
  readonly messages: number;
  readonly fork: ForkOrigin | undefined;
  /** What this chat has different from the global settings. */
  readonly settings: ChatSettings;
  /** Hashes of pinned messages, of any branch. */
  readonly pins: readonly string[];
  /** An answer is being written or a compaction is under way right now. */
  readonly busy: "answering" | "compacting" | undefined;
  /** Why its newest message has no (whole) answer. */
  readonly failure?: ApiError["error"];
}

/** What a conversation was forked from. */
interface ForkOrigin {
  readonly of: string;
  /** Messages that they share. */
  readonly length: number;
  /** The title that it had then. */
  readonly title?: string;
}

/** One message of a transcript, with what became of it in the current view. */
export interface ApiMessage {
  readonly index: number;
  /** Chain hash: stays the same as long as everything up to here does. */
  readonly hash: string;
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly tokens: number;
  readonly at: Time;
  readonly pinned: boolean;
  readonly fate: Fate;
  /** An answer that a person stopped, or that broke off. */
  readonly unfinished?: "stopped" | "broken" | "length";
  /** Why it has no (whole) answer. */
  readonly failure?: ApiError["error"];
  /** The request that it is the answer of, where that is known. */
  readonly request?: {
    readonly id: string;
    readonly model: string | undefined;
    readonly ms: number;
    readonly usage?: Usage;
    /** US dollars; left out where prices aren't known. */
    readonly spend?: number;
  };
  /** What the model looked up before it gave this answer, in turn. */
  readonly lookups?: readonly Lookup[];
  /** Hashes of all messages that were said in this place, itself among them, oldest first. Left out: no other was. */
  readonly branches?: readonly string[];
}

/** Something that the model looked up in what its view hides. */
export interface Lookup {
  /** The words that it searched for, or the messages that it read (`#12–18`). */
  readonly query: string;
  /** Messages that it was quoted, one passage of each, by index. */
  readonly found: readonly number[];
}

/** What became of a message in the current view. */
export type Fate =
  | { readonly type: "kept" }
  | { readonly type: "edited"; readonly reasons: readonly EditReason[]; readonly tokens: number }
  /** Hidden; the summary with this number in `ApiView.entries` speaks for it. */
  | { readonly type: "covered"; readonly by: number }
  | { readonly type: "dropped"; readonly reason: DropReason };

/** A piece of a transcript. */
export interface ApiMessages {
  readonly conversation: string;
  readonly from: number;
  readonly total: number;
  /** Which message is shown last, in the order of their arrival: another branch has another one. */
  readonly leaf: number | undefined;
  /** The system prompt, wherever the wire format keeps it. */
  readonly system: string;
  /** Leading system messages, which summaries count and `index` doesn't: message 0 is `#lead + 1`. */
  readonly lead: number;
  readonly messages: readonly ApiMessage[];
  /** Where summaries stand, for dividers: after message `after` (−1: before the first). */
  readonly dividers: readonly Divider[];
}

/** A compaction as it is shown between messages. */
export interface Divider {
  readonly after: number;
  readonly checkpoint: string;
  readonly at: Time;
  readonly text: string;
  readonly covers: readonly Run[];
  /** How many messages were left out, with nothing in their place. */
  readonly dropped: number;
  /** How many messages were shortened. */
  readonly edited: number;
  readonly tokens: { readonly before: number; readonly after: number };
  /** The model-written parts of the text, which a person may edit. */
  readonly summaries: readonly ApiSummary[];
}

/** One model-written (or hand-written) summary. */
export type ApiSummary = Pick<
  Summary,
  "key" | "text" | "covers" | "level" | "model" | "prompt" | "author" | "tokens" | "at"
>;

/** The meter: the engine's own report, and the model whose window it is measured against. */
export interface ApiPressure extends PressureReport {
  readonly model: string | undefined;
  /** Undefined where no model is there to answer yet. */
  readonly window: number | undefined;
  /** There is neither a window nor a cap: `tokens` can't be compared with anything, and `budget` says nothing. */
  readonly isOpen?: true;
  /**
   * From where compaction starts on: what the next answer brings. `held`: it waits, because one was just undone or made.
   * `impossible`: system prompt and last user message don't fit.
   */
  readonly next?: "compaction" | "nothing-to-gain" | "held" | "impossible";
  /** Why it waits or has nothing to gain: every message before the newest turn is pinned. */
  readonly isAllPinned?: true;
}

/** What the numbers `[n]` of a conversation mean, in its answers and in what precis writes. */
export interface ApiCitations {
  /** Every source that was cited, by the number that summaries call it. */
  readonly sources: readonly ApiSource[];
  /** Numbers of messages that call a source otherwise: hosts often count anew in every turn. */
  readonly cited: readonly {
    /** Index of the message. */
    readonly message: number;
    /** As it stands between the brackets there. */
    readonly as: string;
    /** The source's number among `sources`. */
    readonly number: string;
  }[];
}

/** A document that answers cite. */
export interface ApiSource {
  /** As it stands between brackets: `3`, `^4`. */
  readonly number: string;
  /** A document id, an address, a file. */
  readonly source: string;
  readonly title?: string;
  /** Index of the message that names it first; below 0 for a leading system message. */
  readonly message: number;
  /** What it says there, at most 2,000 characters; may be empty. */
  readonly passage: string;
}

export interface ListQuery {
  /** Text in the title. */
  readonly search?: string;
  /** Only chats of the page, or only conversations of programs. */
  readonly of?: (typeof LISTED_OF)[number];
  readonly archived?: (typeof ARCHIVED)[number];
  readonly limit?: number;
  readonly cursor?: string;
}
export const LISTED_OF = ["person", "clients"] as const;
export const ARCHIVED = ["hide", "only", "all"] as const;

export interface ConversationPage {
  readonly conversations: readonly ApiConversation[];
  readonly next: string | undefined;
}

export type NewConversation = Bodies["newConversation"];
export type ConversationChanges = Bodies["conversationChanges"];

/** What `POST /api/import` takes. */
export type NewImport = Bodies["importFile"];

export interface Imported {
  readonly conversations: readonly ApiConversation[];
  readonly warnings: readonly string[];
  /** The example was opened earlier, and this is its conversation as it is now. */
  readonly isKnown?: true;
}

/** One thing found by a search. */
export interface SearchHit {
  readonly conversation: string;
  readonly title: string;
  readonly index: number;
  readonly role: Role;
  /** The words around the hit. */
  readonly excerpt: string;
  /** False: the model doesn't see this message any more. */
  readonly visible: boolean;
}
