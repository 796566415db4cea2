import { rows } from "../sql/script.ts";
import { createIndex } from "./create-index.ts";
import type { Migration } from "./index.ts";

/** The ids of answers. Older versions knew only the newest, as the name of its session; another name is never asked for. */
export const answers: Migration = {
  name: "0003-answers",
  *up() {
    yield* rows("alter table precis_messages add column answer text");
    yield* rows(`update precis_messages set answer = (
        select session from precis_conversations c
        where c.tenant = precis_messages.tenant and c.id = precis_messages.conversation
      ) where (tenant, conversation, position) in (
        select tenant, id, length - 1 from precis_conversations
        where dialect = 'openai-responses' and named = 0 and session is not null
      )`);
    yield* createIndex("precis_messages", "answer", ["tenant", "answer"], "answer");
  },
};
