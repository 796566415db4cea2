import type { DialectId, Role } from "../../core/types.ts";
import type { Conversation, NewMessage } from "../server-store.ts";

/**
 * The columns of messages and conversations, each listed once. Rows, statements, exports and imports are derived from these
 * lists, and so is what an append writes, in memory as well as in the databases.
 */

/** How something is stored. `Said` is what callers give and get, `Stored` what stands in the row. */
export interface Column<Stored = unknown, Said = unknown> {
  /** Its type in SQL. */
  readonly type: "text" | "bigint" | "smallint";
  store(said: Said): Stored;
  /** PostgreSQL hands large integers over as text, so numbers are converted. */
  read(stored: Stored): Said;
}

const textOf = <T extends string>(): Column<string, T> => ({
  type: "text",
  store: (said) => said,
  read: (stored) => stored as T,
});
const maybeTextOf = <T extends string>(): Column<string | null, T | undefined> => ({
  type: "text",
  store: (said) => said ?? null,
  read: (stored) => (stored as T | null) ?? undefined,
});
const text = textOf<string>();
const maybeText = maybeTextOf<string>();
/** Milliseconds, tokens or messages. */
const whole: Column<number, number> = { type: "bigint", store: Math.round, read: Number };
const maybeWhole: Column<number | null, number | undefined> = {
  type: "bigint",
  store: (said) => (said === undefined ? null : Math.round(said)),
  read: (stored) => (stored === null ? undefined : Number(stored)),
};
const flag: Column<number, boolean> = {
  type: "smallint",
  store: (said) => (said ? 1 : 0),
  read: (stored) => Number(stored) === 1,
};
const maybeJson = <T>(): Column<string | null, T | undefined> => ({
  type: "text",
  store: (said) => (said === undefined ? null : JSON.stringify(said)),
  read: (stored) => (stored === null ? undefined : (JSON.parse(stored) as T)),
});

type StoredAs<C extends Column> = ReturnType<C["store"]>;
type SaidAs<C extends Column> = ReturnType<C["read"]>;

// ── Messages ────────────────────────────────────────────────────────────────────────────────────

/** What is said about a message, under the same name in rows and for callers. Its text stands in `wire` or `body`. */
export const MESSAGE_FACTS = {
  /** The chain hash. */
  hash: text,
  role: textOf<Role>(),
  tokens: maybeWhole,
  at: whole,
  /** Id of the provider's answer that ends here. */
  answer: maybeText,
  /** The wire messages of an answer as it was given, where the client said it otherwise. */
  given: maybeJson<readonly string[]>(),
} satisfies { readonly [K in Exclude<keyof NewMessage, "wire">]-?: Column<unknown, NewMessage[K]> };

/** What is said about a message, as it stands in its row. */
export type MessageFacts = {
  [K in keyof typeof MESSAGE_FACTS]: StoredAs<(typeof MESSAGE_FACTS)[K]>;
};
export const MESSAGE_FACT_NAMES = Object.keys(MESSAGE_FACTS) as readonly (keyof MessageFacts)[];

/** A message as the tables hold it. */
export interface MessageRow extends MessageFacts {
  tenant: string;
  conversation: string;
  position: number;
  /** The address of its text in the table of bodies, or null where the text stands in `wire`. */
  body: string | null;
  wire: string | null;
}

/** In the order in which statements name them; the text comes last, so that nobody reads it who asks for the others. */
export const MESSAGE_COLUMNS: readonly (keyof MessageRow)[] = [
  "tenant",
  "conversation",
  "position",
  ...MESSAGE_FACT_NAMES,
  "body",
  "wire",
];

// ── Conversations ───────────────────────────────────────────────────────────────────────────────

/**
 * What becomes of a column when an append says something about a conversation that is there: the `newest` takes the place of
 * what was there, the `most` is the larger of both, a `sum` grows by it. What an append doesn't say stays.
 */
export type Growth = "newest" | "most" | "sum";

export interface ConversationColumn extends Column {
  /** Its name for callers; undefined if they don't see it as it is. */
  readonly as?: keyof Conversation;
  /** Undefined if appends don't change it. */
  readonly growth?: Growth;
  /** A fork begins with its origin's. */
  readonly isInherited?: true;
}

export const CONVERSATION = {
  tenant: text,
  id: { ...text, as: "id" },
  session: { ...maybeText, as: "session", growth: "newest", isInherited: true },
  /** The session was asked for by name. */
  named: { ...flag, as: "named", growth: "most" },
  title: { ...text, as: "title", isInherited: true },
  /** The title in lower case, because databases disagree on what lower case is. */
  title_search: text,
  dialect: { ...maybeTextOf<DialectId>(), as: "dialect", growth: "newest", isInherited: true },
  model: { ...maybeText, as: "model", growth: "newest", isInherited: true },
  /** The address of the text of its head. */
  head: { ...maybeText, growth: "newest", isInherited: true },
  length: { ...whole, as: "length", growth: "sum" },
  tokens: { ...whole, as: "tokens", growth: "sum" },
  created_at: { ...whole, as: "createdAt" },
  updated_at: { ...whole, as: "updatedAt", growth: "most" },
  /** When messages that were said earlier were added to it last. */
  stored_at: { ...maybeWhole, as: "storedAt", growth: "newest" },
  expires_at: { ...maybeWhole, as: "expiresAt", growth: "newest", isInherited: true },
  pinned: { ...flag, as: "pinned" },
  archived: { ...flag, as: "archived" },
  /** Messages that are in the index of words. */
  indexed: whole,
  fork_of: maybeText,
  fork_length: maybeWhole,
  meta: { ...maybeJson<unknown>(), as: "meta", isInherited: true },
} as const satisfies Readonly<Record<string, ConversationColumn>>;

/** A conversation as the tables hold it. */
export type ConversationRow = {
  [K in keyof typeof CONVERSATION]: StoredAs<(typeof CONVERSATION)[K]>;
};
export const CONVERSATION_COLUMNS = Object.keys(CONVERSATION) as readonly (keyof ConversationRow)[];

/** What callers see of the columns that they see as they are. */
export type SeenColumns = {
  [K in keyof typeof CONVERSATION as (typeof CONVERSATION)[K] extends {
    readonly as: infer Name extends string;
  }
    ? Name
    : never]: SaidAs<(typeof CONVERSATION)[K]>;
};

/** The columns of conversations by their names. */
export const CONVERSATION_ENTRIES = Object.entries(CONVERSATION) as readonly (readonly [
  keyof ConversationRow,
  ConversationColumn,
])[];
