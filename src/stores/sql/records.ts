import type { AnswerSizes, Checkpoint, Recalled, Records, Store, Summary, Undo } from "../../core/types.ts";
import { checkName } from "../shared/check-name.ts";
import { HASHES_PER_STATEMENT, inBatches } from "./insert-rows.ts";
import { putRow } from "./put-row.ts";
import { rows, type Script } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";
import type { SqlEngine } from "./sql-engine.ts";

export function sqlRecords({ engine, now, read, write }: SqlContext, tenant: string): Store {
  checkName("records", "tenant", tenant);
  return {
    find: (hashes) => read("find", () => findRecords(engine, tenant, hashes)),

    save: ({ checkpoints = [], summaries = [], undos = [], answers = [], recalled = [] }) =>
      write("save", function* () {
        // A deletion that is under way may be about to say that one of these messages is gone.
        if (engine.shareName !== undefined) yield* rows(engine.shareName, `precis/remove/${tenant}`);
        const deleted = yield* deletedOf(
          engine,
          tenant,
          [...checkpoints, ...summaries, ...answers, ...recalled].map((record) => record.hash),
        );
        const isThere = ({ hash }: { readonly hash: string }) => !deleted.has(hash);
        const saved_at = now();
        const put = (
          table: string,
          place: Readonly<Record<string, string>>,
          record: object,
          key?: string[],
        ) =>
          putRow(
            table,
            { tenant, ...place, saved_at, json: JSON.stringify(record) },
            // Its id is the hash of its content: the same id is the same record.
            key ? { key: ["tenant", ...key] } : "stays",
          );
        for (const one of checkpoints.filter(isThere))
          yield* put("precis_checkpoints", { id: one.id, hash: one.hash }, one);
        for (const one of summaries.filter(isThere))
          yield* put("precis_summaries", { key: one.key, hash: one.hash }, one, ["key"]);
        for (const one of undos)
          yield* put("precis_undos", { checkpoint: one.checkpoint }, one, ["checkpoint"]);
        for (const one of answers.filter(isThere))
          yield* put("precis_answers", { hash: one.hash, model: one.model }, one, ["hash", "model"]);
        for (const one of recalled.filter(isThere))
          yield* put("precis_recalled", { hash: one.hash, checkpoint: one.checkpoint }, one, [
            "hash",
            "checkpoint",
          ]);
      }),
  };
}

function* deletedOf(
  { isOneOf, rowsOf }: SqlEngine,
  tenant: string,
  hashes: readonly string[],
): Script<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set();
  const found = yield* rows<{ readonly hash: string }>(
    `select hash from precis_tombstones where tenant = ? and ${isOneOf("hash")}`,
    tenant,
    rowsOf.value(hashes),
  );
  return new Set(found.map(({ hash }) => hash));
}

/** Removes the summaries that end with one of these messages. */
export function* forgetSummaries(
  { isOneOf, rowsOf }: SqlEngine,
  tenant: string,
  hashes: readonly string[],
): Script<void> {
  for (const batch of inBatches(hashes, HASHES_PER_STATEMENT))
    yield* rows(
      `delete from precis_summaries where tenant = ? and ${isOneOf("hash")}`,
      tenant,
      rowsOf.value(batch),
    );
}

/** A tenant that has none needs no look for each hash: databases ask this once, and first. */
function hasAny(table: string): string {
  return `exists (select 1 from ${table} where tenant = ?)`;
}

/** In one statement, because every request waits for this. */
function* findRecords(engine: SqlEngine, tenant: string, hashes: readonly string[]): Script<Records> {
  if (hashes.length === 0) return { checkpoints: [], summaries: [], undos: [], recalled: [] };
  const { rowsOf } = engine;
  const wanted = rowsOf.value(hashes);
  const rowsFound = yield* rows<{
    kind: "checkpoint" | "summary" | "answers" | "recalled";
    id: string;
    json: string;
  }>(
    `select 'checkpoint' as kind, precis_checkpoints.id as id, precis_checkpoints.json as json
     from ${rowsOf.from("precis_checkpoints", "hash")} and ${hasAny("precis_checkpoints")}
     union all select 'summary' as kind, precis_summaries.key as id, precis_summaries.json as json
     from ${rowsOf.from("precis_summaries", "hash")} and ${hasAny("precis_summaries")}
     union all select 'recalled' as kind, precis_recalled.checkpoint || ' ' || precis_recalled.hash as id, precis_recalled.json as json
     from ${rowsOf.from("precis_recalled", "hash")} and ${hasAny("precis_recalled")}
     union all select 'answers' as kind, model as id, json from precis_answers where tenant = ? and hash = ?`,
    wanted,
    tenant,
    tenant,
    wanted,
    tenant,
    tenant,
    wanted,
    tenant,
    tenant,
    tenant,
    // They stand on the first message.
    hashes[0],
  );
  // A hash that was asked for twice is found twice.
  const found = [...new Map(rowsFound.map((row) => [`${row.kind} ${row.id}`, row])).values()];
  const checkpoints = found.filter(({ kind }) => kind === "checkpoint");
  const undos =
    checkpoints.length === 0
      ? []
      : yield* rows<{ json: string }>(
          `select precis_undos.json as json from ${rowsOf.from("precis_undos", "checkpoint")}`,
          rowsOf.value(checkpoints.map(({ id }) => id)),
          tenant,
        );
  const answers = found.filter(({ kind }) => kind === "answers");
  return {
    checkpoints: checkpoints.map(({ json }) => JSON.parse(json) as Checkpoint),
    summaries: found.filter(({ kind }) => kind === "summary").map(({ json }) => JSON.parse(json) as Summary),
    undos: undos.map(({ json }) => JSON.parse(json) as Undo),
    ...(answers.length > 0 && { answers: answers.map(({ json }) => JSON.parse(json) as AnswerSizes) }),
    recalled: found.filter(({ kind }) => kind === "recalled").map(({ json }) => JSON.parse(json) as Recalled),
  };
}
