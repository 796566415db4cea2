import type { Append, Appended, NewMessage } from "../server-store.ts";
import { checkAppend } from "../shared/check-append.ts";
import { checkName } from "../shared/check-name.ts";
import { anchorNotFound, conversationNotFound } from "../shared/not-found.ts";
import { bodyHash } from "./body-hash.ts";
import { deleteBody } from "./delete-bodies.ts";
import { giveWay, NOTHING, without } from "./give-way.ts";
import { insertBodies, insertMessages, placedMessages, textsApart } from "./insert-messages.ts";
import { setApart, textsToLend } from "./lend-texts.ts";
import { rows, type Script } from "./script.ts";
import type { SqlEngine } from "./sql-engine.ts";
import {
  type ConversationRow,
  changesOf,
  insertConversation,
  newRow,
  roundedTimes,
  tokensIn,
  updateConversation,
} from "./write-conversation.ts";

/** What it needs of a database, so that it can run in a thread of its own. */
interface AppendContext {
  readonly engine: Pick<SqlEngine, "lockRows" | "lockName">;
  newId(): string;
}

/**
 * Adds messages to the conversation that they belong to, to a fork of it, or to a new one. It runs for every request of
 * a server, so its statements are few and always the same ones.
 */
export function* append(context: AppendContext, tenant: string, given: Append): Script<Appended> {
  const input = roundedTimes(given);
  checkName("append", "tenant", tenant);
  checkAppend(input);
  const found = yield* targetOf(context, tenant, input);
  if (!found && input.after !== undefined) throw anchorNotFound("(new)");

  const start = found ? found.start : 0;
  const gone = found && input.instead ? yield* giveWay(context, found.row, start, input.instead) : NOTHING;
  const known = found && gone !== NOTHING ? without(found.row, gone) : found?.row;
  const shared = known ? yield* sharedFrom(tenant, known, start, input.messages) : 0;
  if (known) yield* renameAnswers(tenant, known.id, start, input.messages.slice(0, shared));
  const rest = placedMessages(input.messages.slice(shared));
  const position = start + shared;
  const isFork = known !== undefined && rest.length > 0 && position < Number(known.length);
  // Chats that merely begin with the same words of a user have nothing to do with each other.
  const origin = isFork && (yield* hasAnswer(tenant, known.id, position)) ? known : undefined;

  const head = input.head === undefined ? undefined : bodyHash(input.head);
  const lent = isFork ? yield* textsToLend(tenant, known.id, position) : [];
  const bodies = textsApart(rest);
  for (const { body, wire } of lent) bodies.set(body, wire);
  if (head !== undefined && input.head !== undefined && head !== known?.head) bodies.set(head, input.head);
  yield* insertBodies(tenant, bodies);
  if (isFork) yield* setApart(tenant, known.id, lent);

  const isNew = !known || isFork;
  const length = isNew || rest.length > 0 ? position + rest.length : Number(known.length);
  const tokens = tokensIn(rest);
  let id: string;
  if (isNew) {
    const copied = isFork ? yield* tokensOf(tenant, known.id, position) : 0;
    const row = newRow(context, tenant, input, { origin, position, head, length, tokens: copied + tokens });
    id = row.id;
    yield* insertConversation(row);
    if (isFork) yield* copyMessages(tenant, known.id, id, position);
    if (origin) yield* copyCitations(tenant, origin.id, id);
    yield* insertMessages(tenant, id, position, rest);
  } else {
    id = known.id;
    yield* insertMessages(tenant, id, position, rest);
    yield* updateConversation(
      known,
      changesOf(known, input, { head, length, tokens, isGrown: rest.length > 0 }),
    );
    // The head before this one would outlive the conversation: nothing else knows of it.
    if (head !== undefined && known.head !== null && known.head !== head)
      yield* deleteBody(context.engine, tenant, known.head);
    for (const body of gone.bodies) yield* deleteBody(context.engine, tenant, body);
  }
  return { conversation: id, forkOf: origin?.id, added: rest.length, length };
}

/** The conversation that is meant, locked until the transaction ends, and where in it the new messages begin. */
function* targetOf(
  { engine }: AppendContext,
  tenant: string,
  { conversation, session, after, isNew }: Append,
): Script<{ readonly row: ConversationRow; readonly start: number } | undefined> {
  const lock = engine.lockRows ? " for update" : "";
  let found: ConversationRow | undefined;
  if (conversation !== undefined) {
    [found] = yield* rows<ConversationRow>(
      `select * from precis_conversations where tenant = ? and id = ?${lock}`,
      tenant,
      conversation,
    );
    if (!found) throw conversationNotFound("append", conversation);
  } else if (session !== undefined && isNew !== true) {
    // Two first requests of one session at once must not make two conversations.
    if (engine.lockName !== undefined) yield* rows(engine.lockName, `precis/session/${tenant}/${session}`);
    const holds =
      after === undefined
        ? ""
        : " and id in (select conversation from precis_messages where tenant = ? and hash = ?)";
    [found] = yield* rows<ConversationRow>(
      `select * from precis_conversations where tenant = ? and session = ?${holds} order by updated_at desc, created_at desc, id desc limit 1${lock}`,
      tenant,
      session,
      ...(after === undefined ? [] : [tenant, after]),
    );
  }
  if (!found) return undefined;
  if (after === undefined) return { row: found, start: 0 };
  const [anchor] = yield* rows<{ position: number }>(
    "select position from precis_messages where tenant = ? and hash = ? and conversation = ?",
    tenant,
    after,
    found.id,
  );
  if (!anchor) throw anchorNotFound(found.id);
  return { row: found, start: Number(anchor.position) + 1 };
}

/** How many of the messages are there already. */
function* sharedFrom(
  tenant: string,
  known: ConversationRow,
  start: number,
  messages: readonly NewMessage[],
): Script<number> {
  if (start === Number(known.length) || messages.length === 0) return 0;
  const there = yield* rows<{ hash: string }>(
    "select hash from precis_messages where tenant = ? and conversation = ? and position >= ? order by position limit ?",
    tenant,
    known.id,
    start,
    messages.length,
  );
  const differs = there.findIndex((row, i) => row.hash !== messages[i]?.hash);
  return differs === -1 ? there.length : differs;
}

/** Messages that were there already may be the end of another answer, with the same words. */
function* renameAnswers(
  tenant: string,
  conversation: string,
  start: number,
  messages: readonly NewMessage[],
): Script<void> {
  for (const [index, { answer }] of messages.entries()) {
    if (answer === undefined) continue;
    yield* rows(
      "update precis_messages set answer = ? where tenant = ? and conversation = ? and position = ?",
      answer,
      tenant,
      conversation,
      start + index,
    );
  }
}

function* hasAnswer(tenant: string, conversation: string, length: number): Script<boolean> {
  const found = yield* rows(
    "select position from precis_messages where tenant = ? and conversation = ? and position < ? and role = 'assistant' limit 1",
    tenant,
    conversation,
    length,
  );
  return found.length > 0;
}

function* tokensOf(tenant: string, conversation: string, length: number): Script<number> {
  const [row] = yield* rows<{ total: number | string | null }>(
    "select sum(tokens) as total from precis_messages where tenant = ? and conversation = ? and position < ?",
    tenant,
    conversation,
    length,
  );
  return Number(row?.total ?? 0);
}

/** The fork gets the places of what it shares; the texts themselves stand apart. */
function* copyMessages(tenant: string, from: string, to: string, length: number): Script<void> {
  yield* rows(
    `insert into precis_messages (tenant, conversation, position, hash, body, role, tokens, at, answer, given)
     select tenant, ?, position, hash, body, role, tokens, at, answer, given from precis_messages
     where tenant = ? and conversation = ? and position < ?`,
    to,
    tenant,
    from,
    length,
  );
}

/** A number that the shared messages mention must mean the same source in the fork. */
function* copyCitations(tenant: string, from: string, to: string): Script<void> {
  yield* rows(
    `insert into precis_citations (tenant, conversation, number, source_hash, source, title)
     select tenant, ?, number, source_hash, source, title from precis_citations
     where tenant = ? and conversation = ?`,
    to,
    tenant,
    from,
  );
}
