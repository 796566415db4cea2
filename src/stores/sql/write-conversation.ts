import type { Selectable } from "kysely";
import type { Append } from "../server-store.ts";
import { cleanTitle } from "../shared/clean-text.ts";
import type { ConversationTable } from "./schema.ts";
import { rows, type Script } from "./script.ts";

/** A conversation as the table holds it. */
export type ConversationRow = Selectable<ConversationTable>;

/** It makes a conversation, whatever there is already. Of a session by name somebody else may be making one right now. */
export function surelyBegins({ conversation, session, isNew, after }: Append): boolean {
  return conversation === undefined && (isNew === true || session === undefined) && after === undefined;
}

/** What an append says of its conversation; what it doesn't say is undefined or left out. */
export type AppendFacts = {
  readonly [K in Exclude<keyof Append, "at" | "head" | "messages">]?: Append[K] | undefined;
} & {
  readonly at: number;
};

/** Columns of times hold whole milliseconds. */
export function roundedTimes<T extends { readonly at: number; readonly ttlMs?: number | undefined }>(
  input: T,
): T {
  if (Number.isInteger(input.at) && input.ttlMs === undefined) return input;
  return {
    ...input,
    at: Math.round(input.at),
    ...(input.ttlMs !== undefined && { ttlMs: Math.round(input.ttlMs) }),
  };
}

export function tokensIn(messages: readonly { readonly tokens?: number | undefined }[]): number {
  return messages.reduce((sum, message) => sum + Math.round(message.tokens ?? 0), 0);
}

export const COLUMNS = [
  "tenant",
  "id",
  "session",
  "title",
  "title_search",
  "dialect",
  "model",
  "head",
  "length",
  "tokens",
  "created_at",
  "updated_at",
  "expires_at",
  "pinned",
  "archived",
  "fork_of",
  "fork_length",
  "meta",
  "named",
] as const satisfies readonly (keyof ConversationRow)[];

/** Where rows of conversations go, and the signs for the values of one. */
export const INTO_CONVERSATIONS = `precis_conversations (${COLUMNS.join(", ")})`;
export const CONVERSATION_VALUES = `(${COLUMNS.map(() => "?").join(", ")})`;
const INSERT = `insert into ${INTO_CONVERSATIONS} values ${CONVERSATION_VALUES}`;

/** The row of a conversation that begins here, or of a fork. */
export function newRow(
  { newId }: { newId(): string },
  tenant: string,
  input: AppendFacts,
  of: {
    readonly origin: ConversationRow | undefined;
    readonly position: number;
    readonly head: string | undefined;
    readonly length: number;
    readonly tokens: number;
  },
): ConversationRow {
  const { origin, position, head, length, tokens } = of;
  const title = cleanTitle(input.title ?? origin?.title ?? "");
  const session = input.session ?? origin?.session ?? null;
  return {
    tenant,
    id: newId(),
    session,
    title,
    title_search: title.toLowerCase(),
    dialect: input.dialect ?? origin?.dialect ?? null,
    model: input.model ?? origin?.model ?? null,
    head: head ?? origin?.head ?? null,
    length,
    tokens,
    created_at: input.at,
    updated_at: input.at,
    expires_at: input.ttlMs === undefined ? (origin?.expires_at ?? null) : input.at + input.ttlMs,
    pinned: 0,
    archived: 0,
    fork_of: origin?.id ?? null,
    fork_length: origin ? position : null,
    meta: origin?.meta ?? null,
    named: input.named || (origin?.session === session && Number(origin.named) === 1) ? 1 : 0,
  };
}

/** What an append changes of a conversation that is there. */
export function changesOf(
  known: ConversationRow,
  input: AppendFacts,
  {
    head,
    length,
    tokens,
    isGrown,
  }: {
    readonly head: string | undefined;
    readonly length: number;
    readonly tokens: number;
    readonly isGrown: boolean;
  },
): Partial<ConversationRow> {
  return {
    ...(isGrown && {
      length,
      tokens: Number(known.tokens) + tokens,
      updated_at: Math.max(input.at, Number(known.updated_at)),
    }),
    ...(input.ttlMs !== undefined && { expires_at: input.at + input.ttlMs }),
    ...(input.session !== undefined && input.session !== known.session && { session: input.session }),
    ...(input.named && Number(known.named) === 0 && { named: 1 }),
    ...(input.dialect !== undefined && input.dialect !== known.dialect && { dialect: input.dialect }),
    ...(input.model !== undefined && input.model !== known.model && { model: input.model }),
    ...(head !== undefined && head !== known.head && { head }),
  };
}

export function* insertConversation(row: ConversationRow): Script<void> {
  yield { sql: INSERT, parameters: valuesOf(row) };
}

type ValuesOf<C extends readonly (keyof ConversationRow)[]> = {
  readonly [K in keyof C]: ConversationRow[C[K]];
};

/** In the order of the columns. One by one: to look each up by its name takes several times as long. */
export function valuesOf(row: ConversationRow): ValuesOf<typeof COLUMNS> {
  return [
    row.tenant,
    row.id,
    row.session,
    row.title,
    row.title_search,
    row.dialect,
    row.model,
    row.head,
    row.length,
    row.tokens,
    row.created_at,
    row.updated_at,
    row.expires_at,
    row.pinned,
    row.archived,
    row.fork_of,
    row.fork_length,
    row.meta,
    row.named,
  ];
}

/** Only what changes: an index whose columns aren't named isn't written. */
export function* updateConversation(
  { tenant, id }: ConversationRow,
  set: Partial<ConversationRow>,
): Script<void> {
  const names = Object.keys(set);
  if (names.length === 0) return;
  yield* rows(
    `update precis_conversations set ${names.map((name) => `${name} = ?`).join(", ")} where tenant = ? and id = ?`,
    ...Object.values(set),
    tenant,
    id,
  );
}
