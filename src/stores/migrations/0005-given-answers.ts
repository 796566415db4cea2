import type { Migration } from "./index.ts";

/** Answers as they were given, where a client says them otherwise. */
export const givenAnswers: Migration = {
  name: "0005-given-answers",
  async up(tx) {
    await tx.schema.alterTable("precis_messages").addColumn("given", "text").execute();
  },
};
