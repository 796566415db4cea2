import { inBatches } from "./in-batches.ts";
import { bodyHash } from "./place-text.ts";
import { rows, type Script } from "./script.ts";

/** Rows that one statement takes: a statement for each would be a way to the database for each message of a long chat. */
const ROWS_PER_STATEMENT = 32;

/** A text that stands in the row of a message that a fork shares. */
export interface LentText {
  readonly position: number;
  readonly body: string;
  readonly wire: string;
}

export function* textsToLend(tenant: string, conversation: string, length: number): Script<LentText[]> {
  const found = yield* rows<{ position: number; wire: string }>(
    "select position, wire from precis_messages where tenant = ? and conversation = ? and position < ? and body is null",
    tenant,
    conversation,
    length,
  );
  return found.map(({ position, wire }) => ({ position, wire, body: bodyHash(wire) }));
}

/** Moves texts out of the rows of their messages into the table of bodies, where all forks share them. */
export function* moveToBodies(
  tenant: string,
  conversation: string,
  texts: readonly LentText[],
): Script<void> {
  for (const batch of inBatches(texts, ROWS_PER_STATEMENT))
    yield* rows(
      `with moved (place, text) as (values ${batch.map(() => "(cast(? as bigint), ?)").join(", ")})
       update precis_messages set body = moved.text, wire = null from moved
       where tenant = ? and conversation = ? and position = moved.place`,
      ...batch.flatMap(({ position, body }) => [position, body]),
      tenant,
      conversation,
    );
}
