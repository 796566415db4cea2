import { rows } from "../sql/script.ts";
import type { Migration } from "./index.ts";

/** When old messages were added to a conversation last: it is kept from then on. */
export const storedAt: Migration = {
  name: "0011-stored-at",
  *up() {
    yield* rows("alter table precis_conversations add column stored_at bigint");
  },
};
