import type { Migration } from "./index.ts";

/** Whether a conversation's session was asked for by name. Of older conversations that isn't known. */
export const namedSessions: Migration = {
  name: "0002-named-sessions",
  async up(tx) {
    await tx.schema
      .alterTable("precis_conversations")
      .addColumn("named", "smallint", (c) => c.notNull().defaultTo(0))
      .execute();
  },
};
