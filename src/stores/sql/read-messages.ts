import { sql } from "kysely";
import type { ReadRange, StoredMessage } from "../server-store.ts";
import { MESSAGE_FACT_NAMES } from "../shared/columns.ts";
import { messageOf } from "../shared/rows.ts";
import type { Db } from "./sql-engine.ts";

/** The messages of a conversation by position, with their texts from wherever these stand. */
export async function readMessages(
  db: Db,
  tenant: string,
  conversation: string,
  { from = 0, to, after }: ReadRange,
): Promise<StoredMessage[]> {
  const rows = await db
    .selectFrom("precis_messages as m")
    .leftJoin("precis_bodies as b", (join) =>
      join.onRef("b.tenant", "=", "m.tenant").onRef("b.hash", "=", "m.body"),
    )
    .select(["m.position", ...MESSAGE_FACT_NAMES.map((name) => `m.${name}` as const)])
    .select(sql<string>`coalesce(m.wire, b.wire)`.as("wire"))
    .where("m.tenant", "=", tenant)
    .where("m.conversation", "=", conversation)
    .where("m.position", ">=", from)
    .$if(after !== undefined, (query) =>
      query.where("m.position", ">", (e) =>
        e
          .selectFrom("precis_messages as a")
          .select("a.position")
          .where("a.tenant", "=", tenant)
          .where("a.conversation", "=", conversation)
          .where("a.hash", "=", after ?? ""),
      ),
    )
    .$if(to !== undefined, (query) => query.where("m.position", "<", to ?? 0))
    .orderBy("m.position")
    .execute();
  return rows.map(messageOf);
}
