import { sql } from "kysely";
import { IS_UNUSED } from "./delete-body.ts";
import { inBatches } from "./in-batches.ts";
import type { SqlContext } from "./sql-context.ts";
import type { Db } from "./sql-engine.ts";

/** Hashes that one statement handles. */
const HASHES_PER_STATEMENT = 1_000;

/** Removes those of many texts that nothing stands on. Like `deleteBody`, it holds each until the end. */
export async function deleteBodies(
  { engine }: SqlContext,
  tx: Db,
  tenant: string,
  hashes: readonly string[],
): Promise<void> {
  for (const batch of inBatches([...hashes].sort(), HASHES_PER_STATEMENT)) {
    const isOne = engine.isOneOf(sql.ref("precis_bodies.hash"), batch);
    if (engine.lockRows)
      await tx
        .selectFrom("precis_bodies")
        .select("hash")
        .where("tenant", "=", tenant)
        .where(isOne)
        .orderBy("hash")
        .forNoKeyUpdate()
        .execute();
    await tx
      .deleteFrom("precis_bodies")
      .where("tenant", "=", tenant)
      .where(isOne)
      .where(sql<boolean>`${sql.raw(IS_UNUSED)}`)
      .execute();
  }
}
