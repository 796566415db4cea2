import { rows, type Script } from "./script.ts";
import type { SqlEngine } from "./sql-engine.ts";

/** True if there is such a conversation. Where rows can be locked, it stays as it is until the transaction ends. */
export function* holdConversation(
  { lockRows }: Pick<SqlEngine, "lockRows">,
  tenant: string,
  id: string,
  lock: "for update" | "for key share",
): Script<boolean> {
  const found = yield* rows(
    `select id from precis_conversations where tenant = ? and id = ? ${lockRows ? lock : ""}`,
    tenant,
    id,
  );
  return found.length > 0;
}
