import type { Migration } from "./index.ts";

/** What views quote for user messages, by checkpoint and message. */
export const recalled: Migration = {
  name: "0008-recalled",
  async up(tx) {
    await tx.schema
      .createTable("precis_recalled")
      .addColumn("tenant", "text", (c) => c.notNull())
      .addColumn("hash", "text", (c) => c.notNull())
      .addColumn("checkpoint", "text", (c) => c.notNull())
      .addColumn("saved_at", "bigint", (c) => c.notNull())
      .addColumn("json", "text", (c) => c.notNull())
      .addPrimaryKeyConstraint("precis_recalled_pk", ["tenant", "hash", "checkpoint"])
      .execute();
  },
};
