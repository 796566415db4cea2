import { type CreateTableBuilder, sql } from "kysely";
import type { Db } from "../sql/sql-engine.ts";
import { createIndex } from "./create-index.ts";
import type { Migration } from "./index.ts";

/** Short texts stand in the rows of their messages; older ones stay where they are. */
export const textsWithMessages: Migration = {
  name: "0004-texts-with-messages",
  async up(tx, { kind }) {
    if (kind === "postgres") {
      await tx.schema.dropIndex("precis_messages_by_body").execute();
      await tx.schema
        .alterTable("precis_messages")
        .addColumn("wire", "text")
        .alterColumn("body", (c) => c.dropNotNull())
        .execute();
      await tx.schema
        .alterTable("precis_messages")
        .addCheckConstraint("precis_messages_text", hasOneText)
        .execute();
    } else await rebuild(tx);
    await createIndex(tx, "precis_messages", "body", ["tenant", "body"], "body");
  },
};

/** Whoever doesn't know of both places (a node of an older version that still runs) stores no message without a text. */
const hasOneText = sql`(body is null) <> (wire is null)`;

/** SQLite can't make a column optional: the rows move into another table, which gets the name. */
async function rebuild(tx: Db): Promise<void> {
  await columns(tx.schema.createTable("precis_messages_with_texts")).execute();
  await sql`insert into precis_messages_with_texts
      (tenant, conversation, position, hash, body, role, tokens, at, answer)
    select tenant, conversation, position, hash, body, role, tokens, at, answer
    from precis_messages order by tenant, conversation, position`.execute(tx);
  await tx.schema.dropTable("precis_messages").execute();
  await tx.schema.alterTable("precis_messages_with_texts").renameTo("precis_messages").execute();
  await createIndex(tx, "precis_messages", "hash", ["tenant", "hash"]);
  await createIndex(tx, "precis_messages", "answer", ["tenant", "answer"], "answer");
}

function columns(table: CreateTableBuilder<string>): CreateTableBuilder<string> {
  return (
    table
      .addColumn("tenant", "text", (c) => c.notNull())
      .addColumn("conversation", "text", (c) => c.notNull())
      .addColumn("position", "bigint", (c) => c.notNull())
      .addColumn("hash", "text", (c) => c.notNull())
      .addColumn("body", "text")
      .addColumn("role", "text", (c) => c.notNull())
      .addColumn("tokens", "bigint")
      .addColumn("at", "bigint", (c) => c.notNull())
      .addColumn("answer", "text")
      // The last one, so that nobody reads it who asks for the others.
      .addColumn("wire", "text")
      .addPrimaryKeyConstraint("precis_messages_pk", ["tenant", "conversation", "position"])
      .addForeignKeyConstraint(
        "precis_messages_conversation",
        ["tenant", "conversation"],
        "precis_conversations",
        ["tenant", "id"],
        (c) => c.onDelete("cascade"),
      )
      .addForeignKeyConstraint("precis_messages_body", ["tenant", "body"], "precis_bodies", [
        "tenant",
        "hash",
      ])
      .addCheckConstraint("precis_messages_text", hasOneText)
  );
}
