import { sql } from "kysely";
import { recallIndex } from "./0009-recall-index.ts";
import type { Migration } from "./index.ts";

/**
 * Emoji and signs are terms by now. What is stored already is indexed anew, because what leaves an index must be what was
 * put into it.
 */
export const signsInRecall: Migration = {
  name: "0010-signs-in-recall",
  async up(tx, { kind }) {
    if (kind === "postgres") await sql`truncate precis_recall`.execute(tx);
    else await sql`insert into precis_recall (precis_recall) values ('delete-all')`.execute(tx);
    await sql`delete from precis_recall_tenants`.execute(tx);
    await sql`delete from precis_recall_conversations`.execute(tx);
    await sql`update precis_conversations set indexed = 0 where indexed > 0`.execute(tx);
  },
  batch: recallIndex.batch!,
};
