import type { ConversationRow, MessageRow } from "../shared/columns.ts";
import { anchorNotFound, conversationNotFound } from "../shared/not-found.ts";
import {
  type AppendCall,
  type AppendTarget,
  forkLength,
  type SharedPrefix,
  surelyBegins,
} from "../shared/plan-append.ts";
import { plainRow } from "../shared/rows.ts";
import { rows, type Script } from "./script.ts";
import type { SqlEngine } from "./sql-engine.ts";

/** What it needs of a database, so that it can run in a thread of its own. */
export type Locks = Pick<SqlEngine, "lockRows" | "lockName" | "textIndex">;

/** What there is of the conversation that an append is for, locked until the transaction ends. Undefined if there is none. */
export function* lookUpTarget(
  engine: Locks,
  call: AppendCall,
): Script<{ readonly target: AppendTarget; readonly prefix: SharedPrefix | undefined } | undefined> {
  const { tenant, input } = call;
  if (surelyBegins(input)) return undefined;
  const row = yield* conversationOf(engine, call);
  if (!row) return undefined;
  const start = input.after === undefined ? 0 : yield* positionAfter(tenant, row.id, input.after);
  const target = { row, start, behind: yield* messagesBehind(call, row, start) };
  const length = forkLength(input, target);
  return { target, prefix: length === undefined ? undefined : yield* prefixOf(tenant, row.id, length) };
}

function* conversationOf(engine: Locks, { tenant, input }: AppendCall): Script<ConversationRow | undefined> {
  const { conversation, session, after, isNew } = input;
  const lock = engine.lockRows ? " for update" : "";
  if (conversation !== undefined) {
    const [found] = yield* rows<ConversationRow>(
      `select * from precis_conversations where tenant = ? and id = ?${lock}`,
      tenant,
      conversation,
    );
    if (!found) throw conversationNotFound("append", conversation);
    return plainRow(found);
  }
  if (session === undefined || isNew) return undefined;
  // Two first requests of one session at once must not make two conversations.
  if (engine.lockName !== undefined) yield* rows(engine.lockName, `precis/session/${tenant}/${session}`);
  const holds =
    after === undefined
      ? ""
      : " and id in (select conversation from precis_messages where tenant = ? and hash = ?)";
  const [found] = yield* rows<ConversationRow>(
    `select * from precis_conversations where tenant = ? and session = ?${holds} order by updated_at desc, created_at desc, id desc limit 1${lock}`,
    tenant,
    session,
    ...(after === undefined ? [] : [tenant, after]),
  );
  return found && plainRow(found);
}

function* positionAfter(tenant: string, conversation: string, hash: string): Script<number> {
  const [anchor] = yield* rows<Pick<MessageRow, "position">>(
    "select position from precis_messages where tenant = ? and hash = ? and conversation = ?",
    tenant,
    hash,
    conversation,
  );
  if (!anchor) throw anchorNotFound(conversation);
  return Number(anchor.position) + 1;
}

function* messagesBehind(
  { tenant, input }: AppendCall,
  { id, length }: ConversationRow,
  start: number,
): Script<AppendTarget["behind"]> {
  if (start === length || input.messages.length === 0) return [];
  return yield* rows<AppendTarget["behind"][number]>(
    `select hash, body, tokens from precis_messages where tenant = ? and conversation = ? and position >= ? order by position limit ?`,
    tenant,
    id,
    start,
    input.instead === undefined ? input.messages.length : length - start,
  );
}

function* prefixOf(tenant: string, conversation: string, length: number): Script<SharedPrefix> {
  const [found] = yield* rows<{ answers: number | string; tokens: number | string | null }>(
    `select sum(tokens) as tokens, count(case when role = 'assistant' then 1 end) as answers
     from precis_messages where tenant = ? and conversation = ? and position < ?`,
    tenant,
    conversation,
    length,
  );
  return { hasAnswer: Number(found?.answers ?? 0) > 0, tokens: Number(found?.tokens ?? 0) };
}
