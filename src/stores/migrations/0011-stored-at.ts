import type { Migration } from "./index.ts";

/** When old messages were added to a conversation last: it is kept from then on. */
export const storedAt: Migration = {
  name: "0011-stored-at",
  async up(tx) {
    await tx.schema.alterTable("precis_conversations").addColumn("stored_at", "bigint").execute();
  },
};
