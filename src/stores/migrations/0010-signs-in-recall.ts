import { rows } from "../sql/script.ts";
import { recallIndex } from "./0009-recall-index.ts";
import type { Migration } from "./index.ts";

/** Emoji and signs are terms by now: what is stored is indexed anew, because what leaves an index must be what was put in. */
export const signsInRecall: Migration = {
  name: "0010-signs-in-recall",
  *up({ kind }) {
    yield* rows("update precis_conversations set indexed = 0 where indexed > 0");
    if (kind === "postgres") yield* rows("truncate precis_recall");
    else yield* rows("insert into precis_recall (precis_recall) values ('delete-all')");
    yield* rows("delete from precis_recall_tenants");
    yield* rows("delete from precis_recall_conversations");
  },
  batch: recallIndex.batch!,
};
