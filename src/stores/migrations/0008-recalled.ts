import { rows } from "../sql/script.ts";
import type { Migration } from "./index.ts";

/** What views quote for user messages, by checkpoint and message. */
export const recalled: Migration = {
  name: "0008-recalled",
  *up() {
    yield* rows(`create table precis_recalled (
      tenant text not null,
      hash text not null,
      checkpoint text not null,
      saved_at bigint not null,
      json text not null,
      constraint precis_recalled_pk primary key (tenant, hash, checkpoint)
    )`);
  },
};
