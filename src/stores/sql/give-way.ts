import { REMOVALS_KEY } from "./delete-conversation.ts";
import { rows, type Script } from "./script.ts";
import type { SqlEngine } from "./sql-engine.ts";
import type { ConversationRow } from "./write-conversation.ts";

/** Messages that gave way to others. */
export interface Gone {
  readonly count: number;
  readonly tokens: number;
  /** Their texts that stand apart, in order; perhaps nothing else has them. */
  readonly bodies: readonly string[];
}

export const NOTHING: Gone = { count: 0, tokens: 0, bodies: [] };

/** Removes the conversation's messages from `start` on, if they are still those that the client says otherwise. */
export function* giveWay(
  { engine }: { readonly engine: Pick<SqlEngine, "lockRows"> },
  { tenant, id }: ConversationRow,
  start: number,
  instead: readonly string[],
): Script<Gone> {
  const last = yield* rows<{ hash: string; body: string | null; tokens: number | string | null }>(
    "select hash, body, tokens from precis_messages where tenant = ? and conversation = ? and position >= ? order by position",
    tenant,
    id,
    start,
  );
  if (last.length !== instead.length || last.some(({ hash }, index) => hash !== instead[index]))
    return NOTHING;
  yield* rows(
    "delete from precis_messages where tenant = ? and conversation = ? and position >= ?",
    tenant,
    id,
    start,
  );
  // Other processes may remember that the conversation ends with one of them, and write behind it without asking.
  if (!engine.lockRows)
    yield* rows(
      `insert into precis_meta (key, value) values (?, '1')
       on conflict (key) do update set value = cast(precis_meta.value as integer) + 1`,
      REMOVALS_KEY,
    );
  return {
    count: last.length,
    tokens: last.reduce((sum, { tokens }) => sum + Number(tokens ?? 0), 0),
    bodies: [...new Set(last.flatMap(({ body }) => body ?? []))].sort(),
  };
}

/** The conversation as it is without them. */
export function without(row: ConversationRow, { count, tokens }: Gone): ConversationRow {
  return { ...row, length: Number(row.length) - count, tokens: Number(row.tokens) - tokens };
}
