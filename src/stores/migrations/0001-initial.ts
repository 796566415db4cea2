import type { Db } from "../sql/sql-engine.ts";
import { createIndex } from "./create-index.ts";
import type { Migration } from "./index.ts";

/** The first schema. */
export const initial: Migration = {
  name: "0001-initial",
  async up(tx) {
    await conversations(tx);
    await records(tx);
    await beside(tx);
  },
};

async function conversations(tx: Db): Promise<void> {
  const { schema } = tx;

  await schema
    .createTable("precis_bodies")
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull())
    .addColumn("wire", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("precis_bodies_pk", ["tenant", "hash"])
    .execute();

  await schema
    .createTable("precis_conversations")
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("session", "text")
    .addColumn("title", "text", (c) => c.notNull())
    .addColumn("title_search", "text", (c) => c.notNull())
    .addColumn("dialect", "text")
    .addColumn("model", "text")
    .addColumn("head", "text")
    .addColumn("length", "bigint", (c) => c.notNull())
    .addColumn("tokens", "bigint", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("updated_at", "bigint", (c) => c.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("pinned", "smallint", (c) => c.notNull())
    .addColumn("archived", "smallint", (c) => c.notNull())
    .addColumn("fork_of", "text")
    .addColumn("fork_length", "bigint")
    .addColumn("meta", "text")
    .addPrimaryKeyConstraint("precis_conversations_pk", ["tenant", "id"])
    .addForeignKeyConstraint("precis_conversations_head", ["tenant", "head"], "precis_bodies", [
      "tenant",
      "hash",
    ])
    .execute();
  await createIndex(tx, "precis_conversations", "session", ["tenant", "session", "updated_at"]);
  await createIndex(tx, "precis_conversations", "list", ["tenant", "pinned", "updated_at", "id"]);
  await createIndex(tx, "precis_conversations", "head", ["tenant", "head"]);
  // Few have these: the others cost nothing to write.
  await createIndex(tx, "precis_conversations", "fork", ["tenant", "fork_of"], "fork_of");
  await createIndex(tx, "precis_conversations", "expires", ["expires_at"], "expires_at");
  await createIndex(tx, "precis_conversations", "updated", ["updated_at"]);

  await schema
    .createTable("precis_messages")
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("conversation", "text", (c) => c.notNull())
    .addColumn("position", "bigint", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull())
    .addColumn("body", "text", (c) => c.notNull())
    .addColumn("role", "text", (c) => c.notNull())
    .addColumn("tokens", "bigint")
    .addColumn("at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("precis_messages_pk", ["tenant", "conversation", "position"])
    .addForeignKeyConstraint(
      "precis_messages_conversation",
      ["tenant", "conversation"],
      "precis_conversations",
      ["tenant", "id"],
      (c) => c.onDelete("cascade"),
    )
    // Without an action: a body that a message still needs can't be deleted, whatever two nodes do at once.
    .addForeignKeyConstraint("precis_messages_body", ["tenant", "body"], "precis_bodies", ["tenant", "hash"])
    .execute();
  await createIndex(tx, "precis_messages", "hash", ["tenant", "hash"]);
  await createIndex(tx, "precis_messages", "body", ["tenant", "body"]);
}

async function records(tx: Db): Promise<void> {
  for (const [table, key] of [
    ["precis_checkpoints", "id"],
    ["precis_summaries", "key"],
  ] as const) {
    await tx.schema
      .createTable(table)
      .addColumn("tenant", "text", (c) => c.notNull())
      .addColumn(key, "text", (c) => c.notNull())
      .addColumn("hash", "text", (c) => c.notNull())
      .addColumn("saved_at", "bigint", (c) => c.notNull())
      .addColumn("json", "text", (c) => c.notNull())
      .addPrimaryKeyConstraint(`${table}_pk`, ["tenant", key])
      .execute();
    await createIndex(tx, table, "hash", ["tenant", "hash"]);
    await createIndex(tx, table, "saved", ["saved_at"]);
  }
  await tx.schema
    .createTable("precis_undos")
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("checkpoint", "text", (c) => c.notNull())
    .addColumn("saved_at", "bigint", (c) => c.notNull())
    .addColumn("json", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("precis_undos_pk", ["tenant", "checkpoint"])
    .execute();
  await tx.schema
    .createTable("precis_tombstones")
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull())
    .addColumn("at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("precis_tombstones_pk", ["tenant", "hash"])
    .execute();
}

async function beside(tx: Db): Promise<void> {
  const { schema } = tx;
  const ofConversation = ["tenant", "conversation"] as ("tenant" | "conversation")[];

  await schema
    .createTable("precis_tenants")
    .addColumn("tenant", "text", (c) => c.notNull().primaryKey())
    .addColumn("last_event", "bigint", (c) => c.notNull())
    .execute();

  await schema
    .createTable("precis_events")
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("id", "bigint", (c) => c.notNull())
    .addColumn("conversation", "text")
    .addColumn("type", "text", (c) => c.notNull())
    .addColumn("at", "bigint", (c) => c.notNull())
    .addColumn("data", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("precis_events_pk", ["tenant", "id"])
    .addForeignKeyConstraint(
      "precis_events_conversation",
      ofConversation,
      "precis_conversations",
      ["tenant", "id"],
      (c) => c.onDelete("cascade"),
    )
    .execute();
  await createIndex(tx, "precis_events", "conversation", ["tenant", "conversation", "id"]);
  await createIndex(tx, "precis_events", "at", ["at"]);

  await schema
    .createTable("precis_citations")
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("conversation", "text", (c) => c.notNull())
    .addColumn("number", "bigint", (c) => c.notNull())
    .addColumn("source_hash", "text", (c) => c.notNull())
    .addColumn("source", "text", (c) => c.notNull())
    .addColumn("title", "text")
    .addPrimaryKeyConstraint("precis_citations_pk", ["tenant", "conversation", "number"])
    .addUniqueConstraint("precis_citations_source", ["tenant", "conversation", "source_hash"])
    .addForeignKeyConstraint(
      "precis_citations_conversation",
      ofConversation,
      "precis_conversations",
      ["tenant", "id"],
      (c) => c.onDelete("cascade"),
    )
    .execute();

  await schema
    .createTable("precis_leases")
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("owner", "text", (c) => c.notNull())
    .addColumn("expires_at", "bigint", (c) => c.notNull())
    .addColumn("fence", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("precis_leases_pk", ["tenant", "name"])
    .execute();

  await schema
    .createTable("precis_client_keys")
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull().unique())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("limits", "text", (c) => c.notNull())
    .addColumn("created_at", "bigint", (c) => c.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("revoked_at", "bigint")
    .addColumn("last_used_at", "bigint")
    .addPrimaryKeyConstraint("precis_client_keys_pk", ["tenant", "id"])
    .execute();
}
