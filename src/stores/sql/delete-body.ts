import { HASHES_PER_STATEMENT, inBatches } from "./insert-rows.ts";
import { rows, type Script } from "./script.ts";
import type { SqlEngine } from "./sql-engine.ts";

/**
 * Asks for the first at or behind it in the order of its index. Asked whether there is one that equals it, PostgreSQL may
 * read the whole table: where all conversations have the same head, it takes the first row for an answer.
 */
const nothingHas = (table: string, column: string): string =>
  `(select other.${column} from ${table} as other
    where other.tenant = precis_bodies.tenant and other.${column} >= precis_bodies.hash
    order by other.${column} limit 1) is distinct from precis_bodies.hash`;
/** True of a text that no message and no head stands on. */
const IS_UNUSED = `${nothingHas("precis_messages", "body")} and ${nothingHas("precis_conversations", "head")}`;

/** Removes a text that nothing stands on, where a writing transaction is alone. */
const DELETE_BODY = `delete from precis_bodies where tenant = ? and hash = ? and ${IS_UNUSED}`;

/**
 * Removes a text that nothing stands on. Of two transactions that leave a text at the same time each would see the other
 * on it: whoever asks holds it until the end, so that the last one finds nobody. Appends may use it meanwhile.
 */
export function* deleteBody(
  { lockRows }: Pick<SqlEngine, "lockRows">,
  tenant: string,
  hash: string,
): Script<void> {
  if (lockRows)
    yield* rows(
      "select hash from precis_bodies where tenant = ? and hash = ? for no key update",
      tenant,
      hash,
    );
  yield* rows(DELETE_BODY, tenant, hash);
}

/** Removes those of many texts that nothing stands on. Like `deleteBody`, it holds each until the end. */
export function* deleteBodies(
  { lockRows, isOneOf, rowsOf }: Pick<SqlEngine, "lockRows" | "isOneOf" | "rowsOf">,
  tenant: string,
  hashes: readonly string[],
): Script<void> {
  const isOne = isOneOf("precis_bodies.hash");
  for (const batch of inBatches([...hashes].sort(), HASHES_PER_STATEMENT)) {
    const wanted = rowsOf.value(batch);
    if (lockRows)
      yield* rows(
        `select hash from precis_bodies where tenant = ? and ${isOne} order by hash for no key update`,
        tenant,
        wanted,
      );
    yield* rows(`delete from precis_bodies where tenant = ? and ${isOne} and ${IS_UNUSED}`, tenant, wanted);
  }
}
