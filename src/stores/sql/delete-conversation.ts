import { forgetConversation } from "./recall/index-messages.ts";
import { rows, type Script } from "./script.ts";
import type { SqlEngine } from "./sql-engine.ts";
import { nodesOf } from "./tree.ts";

/** Removes a conversation: its messages with their records, its events and citations, its words from the index. False when there is none. */
export function* deleteConversation(engine: SqlEngine, tenant: string, id: string): Script<boolean> {
  const [row] = yield* rows<{
    readonly key: number | string;
    readonly dialect: string | null;
    readonly indexed: number | string;
  }>(
    `select key, dialect, indexed from precis_conversations where tenant = ? and id = ? ${engine.lockRows ? "for update" : ""}`,
    tenant,
    id,
  );
  if (!row) return false;
  const key = Number(row.key);
  yield* forgetConversation(engine, { tenant, key, dialect: row.dialect, indexed: Number(row.indexed) });
  yield* rows("delete from precis_nodes where id >= ? and id < ?", ...nodesOf(key));
  yield* rows("delete from precis_conversations where key = ?", key);
  return true;
}
