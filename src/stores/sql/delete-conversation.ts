import { deleteBodies } from "./delete-body.ts";
import { HASHES_PER_STATEMENT, inBatches, insertTombstones } from "./insert-rows.ts";
import { forgetMessages } from "./recall/index-messages.ts";
import { firstRow, rows, type Script } from "./script.ts";
import type { SqlEngine } from "./sql-engine.ts";

/** A conversation and everything that was forked from it, directly or not. */
export function* forksOf(tenant: string, id: string): Script<string[]> {
  const found = new Set([id]);
  for (const one of found) {
    const forks = yield* rows<{ readonly id: string }>(
      "select id from precis_conversations where tenant = ? and fork_of = ?",
      tenant,
      one,
    );
    for (const fork of forks) found.add(fork.id);
  }
  return [...found];
}

/** Removes a conversation with its places, events and citations, then what nothing else stands on. False when there is none. */
export function* deleteConversation(
  engine: SqlEngine,
  tenant: string,
  id: string,
  at: number,
): Script<boolean> {
  // Of two at once that share a message, each would see the other's and leave its records.
  if (engine.lockName !== undefined) yield* rows(engine.lockName, `precis/remove/${tenant}`);
  const row = yield* firstRow<{ readonly head: string | null }>(
    `select head from precis_conversations where tenant = ? and id = ? ${engine.lockRows ? "for update" : ""}`,
    tenant,
    id,
  );
  if (!row) return false;
  const places = yield* rows<{ readonly hash: string; readonly body: string | null }>(
    "select hash, body from precis_messages where tenant = ? and conversation = ?",
    tenant,
    id,
  );
  yield* forgetMessages(engine, tenant, id, 0);
  yield* rows("delete from precis_conversations where tenant = ? and id = ?", tenant, id);
  yield* rows(
    "update precis_conversations set fork_of = null, fork_length = null where tenant = ? and fork_of = ?",
    tenant,
    id,
  );
  yield* deleteRecords(engine, tenant, [...new Set(places.map(({ hash }) => hash))], at);
  const bodies = new Set([row.head, ...places.map(({ body }) => body)].filter((body) => body !== null));
  yield* deleteBodies(engine, tenant, [...bodies]);
  return true;
}

function* deleteRecords(
  { isOneOf, rowsOf }: SqlEngine,
  tenant: string,
  hashes: readonly string[],
  at: number,
): Script<void> {
  const isOne = isOneOf("hash");
  for (const batch of inBatches(hashes, HASHES_PER_STATEMENT)) {
    const used = yield* rows<{ readonly hash: string }>(
      `select distinct hash from precis_messages where tenant = ? and ${isOne}`,
      tenant,
      rowsOf.value(batch),
    );
    const stillUsed = new Set(used.map(({ hash }) => hash));
    const gone = batch.filter((hash) => !stillUsed.has(hash)).sort();
    if (gone.length === 0) continue;
    const checkpoints = yield* rows<{ readonly id: string }>(
      `delete from precis_checkpoints where tenant = ? and ${isOne} returning id`,
      tenant,
      rowsOf.value(gone),
    );
    if (checkpoints.length > 0)
      yield* rows(
        `delete from precis_undos where tenant = ? and ${isOneOf("checkpoint")}`,
        tenant,
        rowsOf.value(checkpoints.map(({ id }) => id)),
      );
    for (const table of ["precis_summaries", "precis_answers", "precis_recalled"])
      yield* rows(`delete from ${table} where tenant = ? and ${isOne}`, tenant, rowsOf.value(gone));
    yield* insertTombstones(gone.map((hash) => ({ tenant, hash, at })));
  }
}
