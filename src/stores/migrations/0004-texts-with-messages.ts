import { rows, type Script } from "../sql/script.ts";
import { createIndex } from "./create-index.ts";
import type { Migration } from "./index.ts";

/** Short texts stand in the rows of their messages; older ones stay where they are. */
export const textsWithMessages: Migration = {
  name: "0004-texts-with-messages",
  *up({ kind }) {
    if (kind === "postgres") {
      yield* rows("drop index precis_messages_by_body");
      yield* rows("alter table precis_messages add column wire text, alter column body drop not null");
      yield* rows(`alter table precis_messages add ${HAS_ONE_TEXT}`);
    } else yield* rebuild();
    yield* createIndex("precis_messages", "body", ["tenant", "body"], "body");
  },
};

/** Whoever doesn't know of both places (a node of an older version that still runs) stores no message without a text. */
const HAS_ONE_TEXT = "constraint precis_messages_text check ((body is null) <> (wire is null))";

/** SQLite can't make a column optional: the rows move into another table, which gets the name. */
function* rebuild(): Script<void> {
  // The text is the last one, so that nobody reads it who asks for the others.
  yield* rows(`create table precis_messages_with_texts (
    tenant text not null,
    conversation text not null,
    position bigint not null,
    hash text not null,
    body text,
    role text not null,
    tokens bigint,
    at bigint not null,
    answer text,
    wire text,
    constraint precis_messages_pk primary key (tenant, conversation, position),
    constraint precis_messages_conversation foreign key (tenant, conversation)
      references precis_conversations (tenant, id) on delete cascade,
    constraint precis_messages_body foreign key (tenant, body) references precis_bodies (tenant, hash),
    ${HAS_ONE_TEXT}
  )`);
  yield* rows(`insert into precis_messages_with_texts
      (tenant, conversation, position, hash, body, role, tokens, at, answer)
    select tenant, conversation, position, hash, body, role, tokens, at, answer
    from precis_messages order by tenant, conversation, position`);
  yield* rows("drop table precis_messages");
  yield* rows("alter table precis_messages_with_texts rename to precis_messages");
  yield* createIndex("precis_messages", "hash", ["tenant", "hash"]);
  yield* createIndex("precis_messages", "answer", ["tenant", "answer"], "answer");
}
