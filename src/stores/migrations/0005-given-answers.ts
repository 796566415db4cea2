import { rows } from "../sql/script.ts";
import type { Migration } from "./index.ts";

/** Answers as they were given, where a client says them otherwise. */
export const givenAnswers: Migration = {
  name: "0005-given-answers",
  *up() {
    yield* rows("alter table precis_messages add column given text");
  },
};
