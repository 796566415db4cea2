import type { Migration } from "./index.ts";

/** What answers of a model in a conversation took, by the hash of the conversation's first message. */
export const answerSizes: Migration = {
  name: "0007-answer-sizes",
  async up(tx) {
    await tx.schema
      .createTable("precis_answers")
      .addColumn("tenant", "text", (c) => c.notNull())
      .addColumn("hash", "text", (c) => c.notNull())
      .addColumn("model", "text", (c) => c.notNull())
      .addColumn("saved_at", "bigint", (c) => c.notNull())
      .addColumn("json", "text", (c) => c.notNull())
      .addPrimaryKeyConstraint("precis_answers_pk", ["tenant", "hash", "model"])
      .execute();
  },
};
