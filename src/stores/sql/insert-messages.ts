import type { NewMessage } from "../server-store.ts";
import { inBatches } from "./in-batches.ts";
import { placeOf } from "./place-text.ts";
import { rows, type Script } from "./script.ts";

/** Rows that one statement takes. Few, because a statement is prepared once for each number of rows. */
const ROWS_PER_STATEMENT = 32;

/** A message that knows where its text is to stand. */
export interface PlacedMessage extends NewMessage {
  /** A hash for one that stands apart. */
  readonly body: string | null;
}

/** Messages that are new at the same time. */
export function placedMessages(messages: readonly NewMessage[]): PlacedMessage[] {
  return messages.map((message) => ({ ...message, body: placeOf(message.wire, messages.length) }));
}

/** The texts that stand apart, by hash. */
export function textsApart(messages: readonly PlacedMessage[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { body, wire } of messages) if (body !== null) texts.set(body, wire);
  return texts;
}

/** The texts, each once. */
export function* insertBodies(tenant: string, bodies: ReadonlyMap<string, string>): Script<void> {
  // In one order everywhere, so that two transactions never wait for each other.
  const sorted = bodies.size < 2 ? [...bodies] : [...bodies].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const batch of inBatches(sorted, ROWS_PER_STATEMENT)) {
    yield* rows(
      `insert into precis_bodies (tenant, hash, wire) values ${tuples("(?, ?, ?)", batch.length)} on conflict (tenant, hash) do nothing`,
      ...batch.flatMap(([hash, wire]) => [tenant, hash, wire]),
    );
  }
}

/** Messages; the texts that stand apart are there. */
export function* insertMessages(
  tenant: string,
  conversation: string,
  position: number,
  messages: readonly PlacedMessage[],
): Script<void> {
  let next = position;
  for (const batch of inBatches(messages, ROWS_PER_STATEMENT)) {
    yield* rows(
      `insert into precis_messages (tenant, conversation, position, hash, body, role, tokens, at, answer, given, wire) values ${tuples("(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", batch.length)}`,
      ...batch.flatMap(({ hash, body, role, tokens, at, answer, given, wire }) => [
        tenant,
        conversation,
        next++,
        hash,
        body,
        role,
        tokens === undefined ? null : Math.round(tokens),
        Math.round(at),
        answer ?? null,
        given === undefined ? null : JSON.stringify(given),
        body === null ? wire : null,
      ]),
    );
    // What was deleted and is sent again is a conversation like any other.
    yield* rows(
      `delete from precis_tombstones where tenant = ? and hash in (${tuples("?", batch.length)})`,
      tenant,
      ...batch.map(({ hash }) => hash),
    );
  }
}

function tuples(tuple: string, count: number): string {
  return count === 1 ? tuple : `${tuple}${`, ${tuple}`.repeat(count - 1)}`;
}
