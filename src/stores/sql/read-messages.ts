import { sql } from "kysely";
import type { StoredMessage } from "../server-store.ts";
import { messageOf } from "./conversation-row.ts";
import type { Db } from "./sql-engine.ts";

/** The messages of a conversation by position, with their texts from wherever these stand. */
export async function readMessages(
  db: Db,
  tenant: string,
  conversation: string,
  { from, to }: { readonly from: number; readonly to: number | undefined },
): Promise<StoredMessage[]> {
  const rows = await db
    .selectFrom("precis_messages as m")
    .leftJoin("precis_bodies as b", (join) =>
      join.onRef("b.tenant", "=", "m.tenant").onRef("b.hash", "=", "m.body"),
    )
    .select(["m.position", "m.hash", "m.role", "m.tokens", "m.at", "m.answer"])
    .select(sql<string>`coalesce(m.wire, b.wire)`.as("wire"))
    .where("m.tenant", "=", tenant)
    .where("m.conversation", "=", conversation)
    .where("m.position", ">=", from)
    .$if(to !== undefined, (query) => query.where("m.position", "<", to ?? 0))
    .orderBy("m.position")
    .execute();
  return rows.map(messageOf);
}
