import type { Selectable } from "kysely";
import type { Append, Appended, NewMessage } from "../server-store.ts";
import { checkName } from "../shared/check-name.ts";
import { cleanTitle } from "../shared/clean-text.ts";
import { anchorNotFound, conversationNotFound } from "../shared/not-found.ts";
import { bodyHash } from "./body-hash.ts";
import { deleteBodies } from "./delete-conversation.ts";
import { inBatches } from "./in-batches.ts";
import type { ConversationTable } from "./schema.ts";
import type { SqlContext } from "./sql-context.ts";
import type { Db } from "./sql-engine.ts";

type Row = Selectable<ConversationTable>;

const DEFAULT_ROWS_PER_INSERT = 500;

/** Adds messages to the conversation that they belong to, to a fork of it, or to a new one. */
export async function append(context: SqlContext, tx: Db, tenant: string, given: Append): Promise<Appended> {
  // Columns of times hold whole milliseconds.
  const input = {
    ...given,
    at: Math.round(given.at),
    ...(given.ttlMs !== undefined && { ttlMs: Math.round(given.ttlMs) }),
  };
  checkName("append", "tenant", tenant);
  if (input.session !== undefined) checkName("append", "session", input.session);
  const known = await targetOf(context, tx, tenant, input);
  if (!known && input.after !== undefined) throw anchorNotFound("(new)");

  const start = known ? await positionAfter(tx, tenant, known.id, input.after) : 0;
  const shared = known ? await sharedFrom(tx, tenant, known, start, input.messages) : 0;
  const rest = input.messages.slice(shared);
  const position = start + shared;
  const isFork = known !== undefined && rest.length > 0 && position < Number(known.length);
  // Chats that merely begin with the same words of a user have nothing to do with each other.
  const origin = isFork && (await hasAnswer(tx, tenant, known.id, position)) ? known : undefined;
  const target =
    known && !isFork ? known : await createConversation(context, tx, tenant, input, { origin, position });
  if (isFork) await copyMessages(tx, tenant, known.id, target.id, position);
  if (origin) await copyCitations(tx, tenant, origin.id, target.id);

  const head = input.head === undefined ? undefined : bodyHash(input.head);
  const bodies = new Map(rest.map((message) => [bodyHash(message.wire), message.wire]));
  if (head !== undefined && input.head !== undefined && head !== target.head) bodies.set(head, input.head);
  await insertBodies(context, tx, tenant, bodies);
  await insertMessages(context, tx, tenant, target.id, position, rest);

  const length = isFork || rest.length > 0 ? position + rest.length : Number(target.length);
  await tx
    .updateTable("precis_conversations")
    .set((e) => ({
      length,
      tokens: e("tokens", "+", sumTokens(rest)),
      ...(rest.length > 0 && { updated_at: Math.max(input.at, Number(target.updated_at)) }),
      ...(input.ttlMs !== undefined && { expires_at: input.at + input.ttlMs }),
      ...(input.session !== undefined && { session: input.session }),
      ...(input.dialect !== undefined && { dialect: input.dialect }),
      ...(input.model !== undefined && { model: input.model }),
      ...(head !== undefined && { head }),
    }))
    .where("tenant", "=", tenant)
    .where("id", "=", target.id)
    .execute();
  // The head before this one would outlive the conversation: nothing else knows of it.
  if (head !== undefined && target.head !== null && target.head !== head)
    await deleteBodies(context, tx, tenant, [target.head]);
  return {
    conversation: target.id,
    forkOf: origin?.id,
    added: rest.length,
    length,
  };
}

/** The conversation that is meant, locked until the transaction ends. */
async function targetOf(
  { engine }: SqlContext,
  tx: Db,
  tenant: string,
  { conversation, session, after }: Append,
): Promise<Row | undefined> {
  const rows = tx
    .selectFrom("precis_conversations")
    .selectAll()
    .where("tenant", "=", tenant)
    .$if(engine.lockRows === true, (query) => query.forUpdate());
  if (conversation !== undefined) {
    const row = await rows.where("id", "=", conversation).executeTakeFirst();
    if (!row) throw conversationNotFound("append", conversation);
    return row;
  }
  if (session === undefined) return undefined;
  // Two first requests of one session at once must not make two conversations.
  await engine.lock?.(tx, `precis/session/${tenant}/${session}`);
  return rows
    .where("session", "=", session)
    .$if(after !== undefined, (query) => query.where("id", "in", conversationsWith(tx, tenant, after ?? "")))
    .orderBy("updated_at", "desc")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}

function conversationsWith(tx: Db, tenant: string, hash: string) {
  return tx
    .selectFrom("precis_messages")
    .select("conversation")
    .where("tenant", "=", tenant)
    .where("hash", "=", hash);
}

async function positionAfter(tx: Db, tenant: string, id: string, after: string | undefined): Promise<number> {
  if (after === undefined) return 0;
  const row = await tx
    .selectFrom("precis_messages")
    .select("position")
    .where("tenant", "=", tenant)
    .where("hash", "=", after)
    .where("conversation", "=", id)
    .executeTakeFirst();
  if (!row) throw anchorNotFound(id);
  return Number(row.position) + 1;
}

/** How many of the messages are there already. */
async function sharedFrom(
  tx: Db,
  tenant: string,
  known: Row,
  start: number,
  messages: readonly NewMessage[],
): Promise<number> {
  if (start === Number(known.length) || messages.length === 0) return 0;
  const rows = await tx
    .selectFrom("precis_messages")
    .select("hash")
    .where("tenant", "=", tenant)
    .where("conversation", "=", known.id)
    .where("position", ">=", start)
    .orderBy("position")
    .limit(messages.length)
    .execute();
  const differs = rows.findIndex((row, i) => row.hash !== messages[i]?.hash);
  return differs === -1 ? rows.length : differs;
}

async function createConversation(
  { newId }: SqlContext,
  tx: Db,
  tenant: string,
  input: Append,
  { origin, position }: { readonly origin: Row | undefined; readonly position: number },
): Promise<Row> {
  const title = cleanTitle(input.title ?? origin?.title ?? "");
  const row: Row = {
    tenant,
    id: newId(),
    session: input.session ?? origin?.session ?? null,
    title,
    title_search: title.toLowerCase(),
    dialect: input.dialect ?? origin?.dialect ?? null,
    model: input.model ?? origin?.model ?? null,
    head: origin?.head ?? null,
    length: 0,
    tokens: 0,
    created_at: input.at,
    updated_at: input.at,
    expires_at: input.ttlMs === undefined ? (origin?.expires_at ?? null) : input.at + input.ttlMs,
    pinned: 0,
    archived: 0,
    fork_of: origin?.id ?? null,
    fork_length: origin ? position : null,
    meta: origin?.meta ?? null,
  };
  await tx.insertInto("precis_conversations").values(row).execute();
  return row;
}

async function hasAnswer(tx: Db, tenant: string, conversation: string, length: number): Promise<boolean> {
  const row = await tx
    .selectFrom("precis_messages")
    .select("position")
    .where("tenant", "=", tenant)
    .where("conversation", "=", conversation)
    .where("position", "<", length)
    .where("role", "=", "assistant")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The fork gets the places of what it shares; the texts themselves are there. */
async function copyMessages(tx: Db, tenant: string, from: string, to: string, length: number): Promise<void> {
  const shared = tx
    .selectFrom("precis_messages")
    .where("tenant", "=", tenant)
    .where("conversation", "=", from)
    .where("position", "<", length);
  await tx
    .insertInto("precis_messages")
    .columns(["tenant", "conversation", "position", "hash", "body", "role", "tokens", "at"])
    .expression(
      shared.select((e) => [
        "tenant",
        e.val(to).as("conversation"),
        "position",
        "hash",
        "body",
        "role",
        "tokens",
        "at",
      ]),
    )
    .execute();
  const { total } = await shared
    .select((e) => e.fn.sum<number | null>("tokens").as("total"))
    .executeTakeFirstOrThrow();
  await tx
    .updateTable("precis_conversations")
    .set({ tokens: Number(total ?? 0) })
    .where("tenant", "=", tenant)
    .where("id", "=", to)
    .execute();
}

/** A number that the shared messages mention must mean the same source in the fork. */
async function copyCitations(tx: Db, tenant: string, from: string, to: string): Promise<void> {
  await tx
    .insertInto("precis_citations")
    .columns(["tenant", "conversation", "number", "source_hash", "source", "title"])
    .expression(
      tx
        .selectFrom("precis_citations")
        .select((e) => ["tenant", e.val(to).as("conversation"), "number", "source_hash", "source", "title"])
        .where("tenant", "=", tenant)
        .where("conversation", "=", from),
    )
    .execute();
}

/** The texts, each once. */
export async function insertBodies(
  { engine }: SqlContext,
  tx: Db,
  tenant: string,
  bodies: ReadonlyMap<string, string>,
): Promise<void> {
  // In one order everywhere, so that two transactions never wait for each other.
  const rows = [...bodies]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([hash, wire]) => ({ tenant, hash, wire }));
  for (const values of inBatches(rows, engine.rowsPerInsert ?? DEFAULT_ROWS_PER_INSERT)) {
    await tx
      .insertInto("precis_bodies")
      .values(values)
      .onConflict((c) => c.columns(["tenant", "hash"]).doNothing())
      .execute();
  }
}

/** The places of messages whose texts are there. */
export async function insertMessages(
  { engine }: SqlContext,
  tx: Db,
  tenant: string,
  conversation: string,
  position: number,
  messages: readonly NewMessage[],
): Promise<void> {
  const rows = messages.map((message, i) => ({
    tenant,
    conversation,
    position: position + i,
    hash: message.hash,
    body: bodyHash(message.wire),
    role: message.role,
    tokens: message.tokens === undefined ? null : Math.round(message.tokens),
    at: Math.round(message.at),
  }));
  for (const values of inBatches(rows, engine.rowsPerInsert ?? DEFAULT_ROWS_PER_INSERT)) {
    await tx.insertInto("precis_messages").values(values).execute();
    // What was deleted and is sent again is a conversation like any other.
    await tx
      .deleteFrom("precis_tombstones")
      .where("tenant", "=", tenant)
      .where(
        "hash",
        "in",
        values.map((row) => row.hash),
      )
      .execute();
  }
}

function sumTokens(messages: readonly NewMessage[]): number {
  return messages.reduce((sum, message) => sum + Math.round(message.tokens ?? 0), 0);
}
