import type { FindQuery, FoundConversation } from "../server-store.ts";
import { NEWEST_HASHES } from "../shared/pages.ts";
import { nameOfText } from "./bodies.ts";
import { type ConversationRow, conversationOf } from "./conversation-row.ts";
import { firstRow, rows, type Script } from "./script.ts";
import type { SqlEngine } from "./sql-engine.ts";
import { keyOfNode } from "./tree.ts";

/** The conversation that shares the longest prefix with a transcript. */
export function* findMatch(
  engine: SqlEngine,
  tenant: string,
  hashes: readonly string[],
  { prefer, ...of }: FindQuery,
): Script<FoundConversation | undefined> {
  const found = yield* longestMatch(engine, tenant, hashes, of);
  if (prefer !== "unnamed" || !found?.conversation.named) return found;
  const unnamed = { hash: hashes[found.matched - 1]! };
  return (yield* longestMatch(engine, tenant, hashes, { ...of, unnamed })) ?? found;
}

interface MatchQuery extends Omit<FindQuery, "prefer"> {
  /** Only conversations that nobody asked for by name, and that hold this message or end where they match. */
  readonly unnamed?: { readonly hash: string };
}

/** The newest hashes first: a client that goes on ends where its conversation does. */
function* longestMatch(
  engine: SqlEngine,
  tenant: string,
  hashes: readonly string[],
  of: MatchQuery,
): Script<FoundConversation | undefined> {
  // Each hash names everything before it: where the first message isn't, none of the others is. In a database in this
  // process one question more costs next to nothing, and most of those who are asked about are new.
  if (engine.isLocal && (hashes[0] === undefined || !(yield* isThere(hashes[0])))) return undefined;
  for (const part of [hashes.slice(-NEWEST_HASHES), hashes.slice(0, -NEWEST_HASHES)]) {
    if (part.length === 0) continue;
    const row = yield* bestMatch(engine, tenant, part, of);
    // By its place in the request: a client may leave out messages that the conversation holds.
    if (row) return { conversation: conversationOf(row), matched: hashes.lastIndexOf(row.matched) + 1 };
  }
  return undefined;
}

function* isThere(hash: string): Script<boolean> {
  return (yield* rows("select 1 from precis_nodes where hash = ? limit 1", hash)).length > 0;
}

/** A first message ("ping") may stand in a hundred thousand conversations: of those that have a message, the newest are looked at. */
export const NEWEST_WITH = "(select id from precis_nodes where hash = ? order by id desc limit 100)";

/** Of several conversations with the same messages: one that ends there rather than one that went on otherwise. */
function bestMatch(
  { among }: SqlEngine,
  tenant: string,
  hashes: readonly string[],
  { session, dialect, head, isUnanswered, unnamed }: MatchQuery,
): Script<(ConversationRow & { readonly matched: string }) | undefined> {
  const isOfSession = session === undefined ? "" : "and coalesce(c.session, c.id) = ?";
  const isOfFormat = dialect === undefined ? "" : "and (c.dialect is null or c.dialect = ?)";
  const isUnnamed = unnamed ? "and c.named = 0 and (n.hash = ? or c.leaf = n.id)" : "";
  const isOne = hashes.length === 1;
  const hasHead = "c.head is not distinct from ?";
  const headName = head ? [nameOfText(tenant, head)] : [null];
  return firstRow(
    `select c.*, n.hash as matched
     from ${isOne ? "precis_nodes n" : `${among.from} join precis_nodes n on n.hash = ${among.value}`}
     join precis_conversations c on c.key = ${keyOfNode("n.id")} and c.tenant = ? and c.deleted_at is null
       ${isOfSession} ${isOfFormat} ${isUnnamed} ${isUnanswered ? `and c.leaf = n.id and ${hasHead}` : ""}
     ${isOne ? `where n.id in ${NEWEST_WITH}` : ""}
     order by ${isOne ? "" : `${among.place} desc,`} case when c.leaf = n.id then 0 else 1 end,
       ${head === undefined ? "" : `case when ${hasHead} then 0 else 1 end,`} c.updated_at desc, c.id desc limit 1`,
    ...(isOne ? [] : [among.of(hashes)]),
    tenant,
    ...(session === undefined ? [] : [session]),
    ...(dialect === undefined ? [] : [dialect]),
    ...(unnamed ? [unnamed.hash] : []),
    ...(isUnanswered ? headName : []),
    ...(isOne ? hashes : []),
    ...(head === undefined ? [] : headName),
  );
}
