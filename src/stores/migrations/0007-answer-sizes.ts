import { rows } from "../sql/script.ts";
import type { Migration } from "./index.ts";

/** What answers of a model in a conversation took, by the hash of the conversation's first message. */
export const answerSizes: Migration = {
  name: "0007-answer-sizes",
  *up() {
    yield* rows(`create table precis_answers (
      tenant text not null,
      hash text not null,
      model text not null,
      saved_at bigint not null,
      json text not null,
      constraint precis_answers_pk primary key (tenant, hash, model)
    )`);
  },
};
