import { rows } from "../sql/script.ts";
import type { Migration } from "./index.ts";

/** Whether a conversation's session was asked for by name. Of older conversations that isn't known. */
export const namedSessions: Migration = {
  name: "0002-named-sessions",
  *up() {
    yield* rows("alter table precis_conversations add column named smallint default 0 not null");
  },
};
