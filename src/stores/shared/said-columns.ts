import type { Append, NewMessage } from "../server-store.ts";
import { CONVERSATION, CONVERSATION_ENTRIES, type ConversationRow, type Growth } from "./columns.ts";
import { EMPTY_CONVERSATION, titleColumns } from "./rows.ts";

/** Columns that an append says under the name that callers see: those that grow, and aren't counted or measured. */
const sayable = CONVERSATION_ENTRIES.flatMap(([name, column]) =>
  column.as !== undefined && (column.growth === "newest" || column.growth === "most")
    ? [[name, column.as as keyof Append, column] as const]
    : [],
);

/** What an append says of its conversation. */
type SaidColumns = Partial<ConversationRow>;

export function saidOf(input: Append, fresh: readonly NewMessage[], head: string | undefined): SaidColumns {
  const at = Math.round(input.at);
  const said: Partial<Record<keyof ConversationRow, unknown>> = {};
  for (const [name, as, { store }] of sayable) {
    const value = input[as];
    if (value !== undefined) said[name] = store(value);
  }
  return {
    ...(said as SaidColumns),
    ...(head !== undefined && { head }),
    ...(fresh.length > 0 && { length: fresh.length, tokens: tokensIn(fresh), updated_at: at }),
    ...(input.ttlMs !== undefined && { expires_at: at + Math.round(input.ttlMs) }),
  };
}

/** The row of a conversation that begins here, or of a fork. */
export function newRow(
  tenant: string,
  id: string,
  input: Append,
  said: SaidColumns,
  {
    origin,
    position,
    tokens,
  }: {
    readonly origin: ConversationRow | undefined;
    readonly position: number;
    readonly tokens: number;
  },
): ConversationRow {
  const at = Math.round(input.at);
  const inherited = origin && inheritedFrom(origin);
  const row = { ...EMPTY_CONVERSATION, ...inherited, ...said };
  return {
    ...row,
    tenant,
    id,
    named: said.named ?? (origin?.session === row.session ? (origin?.named ?? 0) : 0),
    ...titleColumns(input.title ?? row.title),
    ...(input.meta !== undefined && { meta: CONVERSATION.meta.store(input.meta) }),
    length: position + (said.length ?? 0),
    tokens: tokens + (said.tokens ?? 0),
    created_at: Math.round(input.createdAt ?? at),
    updated_at: at,
    fork_of: origin?.id ?? null,
    fork_length: origin ? position : null,
  };
}

function inheritedFrom(origin: ConversationRow): Partial<ConversationRow> {
  return Object.fromEntries(
    CONVERSATION_ENTRIES.filter(([, { isInherited }]) => isInherited).map(([name]) => [name, origin[name]]),
  );
}

/** What an append changes of a conversation: only what differs, because an index whose columns aren't named isn't written. */
export function changesOf(
  stored: ConversationRow,
  without: Pick<ConversationRow, "length" | "tokens">,
  said: SaidColumns,
): Partial<ConversationRow> {
  const before = { ...stored, ...without };
  const changes: Partial<Record<keyof ConversationRow, unknown>> = {};
  for (const [name, { growth }] of CONVERSATION_ENTRIES) {
    const value = said[name];
    if (value === undefined || growth === undefined) continue;
    const now = grown(growth, before[name], value);
    if (now !== stored[name]) changes[name] = now;
  }
  return changes as Partial<ConversationRow>;
}

function grown(growth: Growth, before: unknown, said: unknown): unknown {
  switch (growth) {
    case "newest":
      return said;
    case "most":
      return Math.max(before as number, said as number);
    case "sum":
      return (before as number) + (said as number);
    default:
      return growth satisfies never;
  }
}

export function tokensIn(messages: readonly { readonly tokens?: number | null | undefined }[]): number {
  return messages.reduce((sum, { tokens }) => sum + Math.round(Number(tokens ?? 0)), 0);
}
