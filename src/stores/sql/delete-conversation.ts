import { deleteUnused } from "./bodies.ts";
import { forgetConversation } from "./recall/index-messages.ts";
import { blankRequests } from "./requests.ts";
import { rows, type Script } from "./script.ts";
import type { SqlEngine } from "./sql-engine.ts";
import { nodesOf } from "./tree.ts";

/** Removes a conversation: its messages with their records, its events and citations, its words from the index and from the rows of its requests. False when there is none. */
export function* deleteConversation(engine: SqlEngine, tenant: string, id: string): Script<boolean> {
  const [row] = yield* rows<{
    readonly key: number | string;
    readonly dialect: string | null;
    readonly indexed: number | string;
    readonly head: string | null;
  }>(
    `select key, dialect, indexed, head from precis_conversations where tenant = ? and id = ? ${engine.lockRows ? "for update" : ""}`,
    tenant,
    id,
  );
  if (!row) return false;
  const key = Number(row.key);
  yield* forgetConversation(engine, { tenant, key, dialect: row.dialect, indexed: Number(row.indexed) });
  const bodies = yield* rows<{ readonly body: string }>(
    "select distinct body from precis_nodes where id >= ? and id < ? and body is not null",
    ...nodesOf(key),
  );
  const told = yield* blankRequests(key);
  yield* rows("delete from precis_nodes where id >= ? and id < ?", ...nodesOf(key));
  yield* rows("delete from precis_conversations where key = ?", key);
  yield* deleteUnused(engine, [
    ...bodies.map(({ body }) => body),
    ...told,
    ...(row.head === null ? [] : [row.head]),
  ]);
  return true;
}
