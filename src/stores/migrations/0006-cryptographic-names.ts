import type { Checkpoint, Summary, Undo } from "../../core/types.ts";
import { createNewNames } from "../shared/new-names.ts";
import { newCheckpoint, newSummary } from "../shared/new-records.ts";
import { inBatches } from "../sql/insert-rows.ts";
import { putRow } from "../sql/put-row.ts";
import { readMessages } from "../sql/read-messages.ts";
import { firstRow, rows, type Script } from "../sql/script.ts";
import type { SqlEngine } from "../sql/sql-engine.ts";
import type { Migration, MigrationBatch } from "./index.ts";

/** Conversations and messages that one transaction takes; a longer conversation is alone in its own. */
const CONVERSATIONS_PER_BATCH = 100;
const MESSAGES_PER_BATCH = 2_000;
/** Messages that are held in memory at a time. */
const MESSAGES_PER_PAGE = 100;
/** Rows that one statement takes. */
const ROWS_PER_STATEMENT = 32;

/** How far it is; conversations are taken in the order of tenant and id. */
interface Cursor {
  readonly tenant: string;
  readonly id: string;
  readonly done: number;
  readonly total: number;
}

/**
 * Messages, checkpoints and summaries get names that can't be forged (decision 0020). They are made from the stored
 * transcripts, and records move with the messages that they stand on. Records of transcripts that aren't stored here stay
 * as they are.
 */
export const cryptographicNames: Migration = {
  name: "0006-cryptographic-names",
  *up() {
    // All of it is work on rows.
  },
  *batch(engine, cursor) {
    const from = cursor === undefined ? yield* begin(engine) : (JSON.parse(cursor) as Cursor);
    const found = yield* rows<OldConversation & { readonly length: number | string }>(
      `select tenant, id, dialect, length from precis_conversations where tenant > ? or (tenant = ? and id > ?)
       order by tenant, id limit ${CONVERSATIONS_PER_BATCH}`,
      from.tenant,
      from.tenant,
      from.id,
    );
    let at = from;
    let messages = 0;
    for (const { length, ...one } of found) {
      if (messages > 0 && messages + Number(length) > MESSAGES_PER_BATCH) return more(at);
      yield* renameConversation(engine, one);
      messages += Number(length);
      at = { ...at, tenant: one.tenant, id: one.id, done: at.done + 1 };
    }
    return found.length < CONVERSATIONS_PER_BATCH ? { cursor: undefined, ...progressOf(at) } : more(at);
  },
};

interface OldConversation {
  readonly tenant: string;
  readonly id: string;
  readonly dialect: string | null;
}

function more(at: Cursor): MigrationBatch {
  return { cursor: JSON.stringify(at), ...progressOf(at) };
}

function progressOf({ done, total }: Cursor): { readonly done: number; readonly total: number } {
  return { done, total };
}

function* begin(engine: SqlEngine): Script<Cursor> {
  yield* refuseOldNames(engine);
  const all = yield* firstRow<{ readonly count: number | string }>(
    "select count(*) as count from precis_conversations",
  );
  return { tenant: "", id: "", done: 0, total: Number(all?.count) };
}

/**
 * A node of an older version that still runs would go on to write names of its own, which nobody finds again. From here on
 * the database refuses them, in words that tell what to do.
 */
function* refuseOldNames({ kind }: SqlEngine): Script<void> {
  if (kind === "postgres")
    yield* rows(`alter table precis_messages add constraint "precis was upgraded: restart this node with the new version"
      check (length(hash) <> 32 or hash !~ '^[0-9a-f]{32}$') not valid`);
  else
    yield* rows(`create trigger precis_messages_old_names before insert on precis_messages
      when length(new.hash) = 32 and new.hash not glob '*[^0-9a-f]*'
      begin select raise(abort, 'precis was upgraded: restart this node with the new version'); end`);
}

function* renameConversation(engine: SqlEngine, { tenant, id, dialect }: OldConversation): Script<void> {
  const names = createNewNames(dialect ?? undefined);
  if (!names) return;
  for (let from = 0; ; from += MESSAGES_PER_PAGE) {
    const page = yield* readMessages(tenant, id, { from, to: from + MESSAGES_PER_PAGE });
    const renamed = page.map((one) => ({ position: one.position, hash: one.hash, name: names.next(one) }));
    yield* saveNames(tenant, id, renamed);
    const byHash = new Map(renamed.map((one) => [one.hash, one]));
    yield* renameRecords(engine, tenant, [...byHash.keys()], (hash, length) => {
      const one = byHash.get(hash);
      return one && one.position + 1 === length ? one.name : undefined;
    });
    if (page.length < MESSAGES_PER_PAGE) return;
  }
}

function* saveNames(
  tenant: string,
  conversation: string,
  renamed: readonly { readonly position: number; readonly name: string }[],
): Script<void> {
  for (const batch of inBatches(renamed, ROWS_PER_STATEMENT))
    yield* rows(
      `with renamed (place, name) as (values ${batch.map(() => "(cast(? as bigint), cast(? as text))").join(", ")})
       update precis_messages set hash = renamed.name from renamed
       where tenant = ? and conversation = ? and position = renamed.place`,
      ...batch.flatMap(({ position, name }) => [position, name]),
      tenant,
      conversation,
    );
}

/** Records that stand on these messages. What isn't genuine was never believed, and goes. */
function* renameRecords(
  { isOneOf, rowsOf }: SqlEngine,
  tenant: string,
  hashes: readonly string[],
  rename: (hash: string, length: number) => string | undefined,
): Script<void> {
  const here = rowsOf.value(hashes);
  const checkpoints = yield* rows<{ readonly id: string; readonly saved_at: unknown; readonly json: string }>(
    `select id, saved_at, json from precis_checkpoints where tenant = ? and ${isOneOf("hash")}`,
    tenant,
    here,
  );
  for (const { id, saved_at, json } of checkpoints) {
    const renamed = newCheckpoint(JSON.parse(json) as Checkpoint, rename);
    yield* rows("delete from precis_checkpoints where tenant = ? and id = ?", tenant, id);
    if (renamed) {
      const row = { tenant, id: renamed.id, hash: renamed.hash, saved_at, json: JSON.stringify(renamed) };
      yield* putRow("precis_checkpoints", row, "stays");
    }
    yield* renameUndo(tenant, id, renamed?.id);
  }
  const summaries = yield* rows<{ readonly key: string; readonly json: string }>(
    `select key, json from precis_summaries where tenant = ? and ${isOneOf("hash")}`,
    tenant,
    here,
  );
  for (const { key, json } of summaries) {
    const renamed = newSummary(JSON.parse(json) as Summary, rename);
    if (renamed)
      yield* rows(
        "update precis_summaries set hash = ?, json = ? where tenant = ? and key = ?",
        renamed.hash,
        JSON.stringify(renamed),
        tenant,
        key,
      );
    else yield* rows("delete from precis_summaries where tenant = ? and key = ?", tenant, key);
  }
}

function* renameUndo(tenant: string, from: string, to: string | undefined): Script<void> {
  const undo = yield* firstRow<{ readonly saved_at: unknown; readonly json: string }>(
    "delete from precis_undos where tenant = ? and checkpoint = ? returning saved_at, json",
    tenant,
    from,
  );
  if (!undo || to === undefined) return;
  const json = JSON.stringify({ ...(JSON.parse(undo.json) as Undo), checkpoint: to });
  yield* putRow("precis_undos", { tenant, checkpoint: to, saved_at: undo.saved_at, json }, "stays");
}
