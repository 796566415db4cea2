import type { Role } from "../../core/types.ts";
import type {
  Branch,
  FindQuery,
  FoundConversation,
  NewMessage,
  ReadRange,
  StoredMessage,
} from "../server-store.ts";
import { NEWEST_HASHES } from "../shared/pages.ts";
import { nameOfText } from "./bodies.ts";
import { type ConversationRow, conversationOf, NODES_PER_CONVERSATION } from "./conversation-row.ts";
import { firstRow, type RowOf, rows, type Script } from "./script.ts";
import type { SqlEngine } from "./sql-engine.ts";

/**
 * A node's id is its conversation's key and its number within the conversation, in the order of arrival. In a conversation
 * without branches the number is also the message's position.
 */
export const nodeId = (key: number, n: number): number => key * NODES_PER_CONVERSATION + n;
export const numberOfNode = (id: number): number => id % NODES_PER_CONVERSATION;
/** The conversation's key of a node, in SQL. */
export const keyOfNode = (id: string): string => `${id} / ${NODES_PER_CONVERSATION}`;
/** The ids that nodes of a conversation can have: `from` ≤ id < `to`. */
export const nodesOf = (key: number): readonly [from: number, to: number] => [
  nodeId(key, 0),
  nodeId(key + 1, 0),
];

/** Characters of a hash that its index has: whole hashes would make it two and a half times as large. */
const INDEXED_CHARS = 12;
const indexed = (hash: string): string => `substr(${hash}, 1, ${INDEXED_CHARS})`;
/** What the index of hashes is made of, in SQL. */
export const INDEXED_HASH = indexed("hash");
/** True of a node with a hash, in SQL. A `?` in it stands there twice. */
export const hasHash = (hash: string, node = ""): string =>
  `${indexed(`${node}hash`)} = ${indexed(hash)} and ${node}hash = ${hash}`;

/** The columns of messages: the one place to declare one. The text comes last, so that nobody reads it who asks for the others. */
export const NODE_COLUMNS = {
  id: "integer not null primary key",
  parent: "bigint",
  /** Messages up to this one. */
  depth: "bigint not null",
  hash: "text not null",
  role: "text not null",
  tokens: "bigint",
  /** Tokens of all messages up to this one. */
  total: "bigint not null",
  at: "bigint not null",
  rewritten: "smallint not null",
  answer: "text",
  given: "text",
  /** How the answer that ends here ended before its end. */
  unfinished: "text",
  /** The name of its text in the table of bodies, or null where the text stands in `wire`. */
  body: "text references precis_bodies (hash)",
  wire: "text",
} as const;

/** A message as the table holds it. */
export type NodeRow = Readonly<RowOf<typeof NODE_COLUMNS>>;
/** A row with its text. */
type ReadRow = NodeRow & { readonly wire: string };

const COLUMNS = Object.keys(NODE_COLUMNS)
  .filter((name) => !["total", "body", "wire"].includes(name))
  .map((name) => `n.${name}`)
  .join(", ");
const TEXT = "coalesce(n.wire, b.wire) as wire";
const WITH_TEXT = "left join precis_bodies b on b.hash = n.body";

/** What wasn't said of a message isn't there. */
function messageOf(row: ReadRow): StoredMessage {
  const message: { -readonly [K in keyof StoredMessage]: StoredMessage[K] } = {
    position: row.depth - 1,
    hash: row.hash,
    role: row.role as Role,
    wire: row.wire,
    at: row.at,
  };
  if (row.tokens !== null) message.tokens = row.tokens;
  if (row.answer !== null) message.answer = row.answer;
  if (row.given !== null) message.given = JSON.parse(row.given) as readonly string[];
  if (row.unfinished !== null) message.unfinished = row.unfinished as "stopped";
  if (row.rewritten === 1) message.rewritten = true;
  return message;
}

/** How a message is stored behind another one; `body` names its text where that stands apart. */
export function nodeRow(
  message: NewMessage,
  id: number,
  before: Place | undefined,
  body: string | undefined,
): NodeRow {
  const { hash, role, at, rewritten, answer, given, unfinished, wire } = message;
  const tokens = message.tokens === undefined ? null : Math.round(message.tokens);
  return {
    id,
    parent: before?.id ?? null,
    depth: (before?.depth ?? 0) + 1,
    hash,
    role,
    tokens,
    total: (before?.total ?? 0) + (tokens ?? 0),
    at: Math.round(at),
    rewritten: rewritten ? 1 : 0,
    answer: answer ?? null,
    given: given === undefined ? null : JSON.stringify(given),
    unfinished: unfinished ?? null,
    body: body ?? null,
    wire: body === undefined ? wire : null,
  };
}

type PathOf = Pick<ConversationRow, "key" | "leaf" | "length" | "branched">;

/** The path to a node, in SQL: its one value is the node. Rows above `least` are left out. */
const pathTo = (least: string): string => `with recursive path (id, parent, depth) as (
    select id, parent, depth from precis_nodes where id = ?
    union all select n.id, n.parent, n.depth from path p join precis_nodes n on n.id = p.parent where p.depth > ${least})`;

/** Messages on the path to the leaf. */
export function* readPath(
  of: PathOf,
  { from = 0, to = Number.MAX_SAFE_INTEGER }: ReadRange,
): Script<StoredMessage[]> {
  const least = Math.max(0, from);
  const end = Math.min(to, of.length);
  if (of.leaf === null || least >= end) return [];
  const found = of.branched
    ? yield* rows<ReadRow>(
        `${pathTo("?")} select ${COLUMNS}, ${TEXT} from path p join precis_nodes n on n.id = p.id ${WITH_TEXT}
         where p.depth > ? and p.depth <= ? order by p.depth`,
        of.leaf,
        least,
        least,
        end,
      )
    : yield* rows<ReadRow>(
        `select ${COLUMNS}, ${TEXT} from precis_nodes n ${WITH_TEXT} where n.id >= ? and n.id < ? order by n.id`,
        nodeId(of.key, least),
        nodeId(of.key, end),
      );
  return found.map(messageOf);
}

/** Messages of all branches by their numbers, each with the number of the one that it follows. */
export function* readNodes(
  key: number,
  from: number,
  to: number,
): Script<{ readonly n: number; readonly parent: number | null; readonly message: StoredMessage }[]> {
  const found = yield* rows<ReadRow>(
    `select ${COLUMNS}, ${TEXT} from precis_nodes n ${WITH_TEXT} where n.id >= ? and n.id < ? order by n.id`,
    nodeId(key, from),
    nodeId(key, to),
  );
  return found.map((row) => ({
    n: numberOfNode(row.id),
    parent: row.parent === null ? null : numberOfNode(row.parent),
    message: messageOf(row),
  }));
}

/** The ids of all nodes on the path to the leaf; undefined if all nodes are on it. */
export function* pathIds(
  of: PathOf & Pick<ConversationRow, "nodes">,
): Script<ReadonlySet<number> | undefined> {
  if (!of.branched && of.length === of.nodes) return undefined;
  const found = yield* rows<Pick<NodeRow, "id">>(
    `${pathTo("0")} select id from path order by depth desc`,
    of.leaf,
  );
  return new Set(found.map(({ id }) => id));
}

/** Where a message stands in a conversation. */
export type Place = Pick<NodeRow, "id" | "depth" | "total">;

export const placeOf = (key: number, hash: string): Script<Place | undefined> =>
  firstRow<Place>(
    `select id, depth, total from precis_nodes where ${hasHash("?")} and id >= ? and id < ?`,
    hash,
    hash,
    ...nodesOf(key),
  );

/** The end of the newest branch behind a node. */
export function* newestLeaf(key: number, from: Place): Script<Place> {
  const behind = yield* rows<Place & { readonly parent: number }>(
    "select id, parent, depth, total from precis_nodes where id > ? and id < ? order by id",
    from.id,
    nodesOf(key)[1],
  );
  // Children come behind their parents.
  const within = new Set([from.id]);
  let newest = from;
  for (const { id, parent, depth, total } of behind) {
    if (!within.has(parent)) continue;
    within.add(id);
    newest = { id, depth, total };
  }
  return newest;
}

/** What follows a node in each branch, the newest branch first. */
export function* branchesBehind(row: ConversationRow, from: Place, most: number): Script<Branch[]> {
  const conversation = conversationOf(row);
  const behind = yield* rows<ReadRow & { readonly parent: number }>(
    `select ${COLUMNS}, ${TEXT} from precis_nodes n ${WITH_TEXT} where n.id > ? and n.id < ? order by n.id`,
    from.id,
    nodesOf(row.key)[1],
  );
  const within = new Map<number, (typeof behind)[number] | undefined>([[from.id, undefined]]);
  const leaves = new Set([from.id]);
  for (const node of behind) {
    if (!within.has(node.parent)) continue;
    within.set(node.id, node);
    leaves.delete(node.parent);
    leaves.add(node.id);
  }
  const pathFrom = (leaf: number): StoredMessage[] => {
    const path: StoredMessage[] = [];
    for (let node = within.get(leaf); node; node = within.get(node.parent)) path.push(messageOf(node));
    return path.reverse();
  };
  return [...leaves]
    .reverse()
    .slice(0, most)
    .map((leaf) => ({ conversation, messages: pathFrom(leaf) }));
}

/** Nodes of the path that have others in their place, by position. What a client rewrote is none. */
export function* siblingsOnPath(of: PathOf): Script<Map<number, string[]>> {
  const siblings = new Map<number, string[]>();
  if (of.leaf === null || !of.branched) return siblings;
  const found = yield* rows<Pick<NodeRow, "depth" | "hash">>(
    `${pathTo("0")} select n.depth, n.hash from precis_nodes n
     join path p on p.depth = n.depth and (p.parent = n.parent or (p.parent is null and n.parent is null))
     where n.id >= ? and n.id < ? and n.rewritten = 0 order by n.id`,
    of.leaf,
    ...nodesOf(of.key),
  );
  for (const { depth, hash } of found) {
    const position = depth - 1;
    siblings.set(position, [...(siblings.get(position) ?? []), hash]);
  }
  for (const [position, hashes] of siblings) if (hashes.length < 2) siblings.delete(position);
  return siblings;
}

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
  return (yield* rows(`select 1 from precis_nodes where ${hasHash("?")} limit 1`, hash, hash)).length > 0;
}

/** Is any of these messages stored? */
export function* isOneThere(
  { among, rowsOf }: Pick<SqlEngine, "among" | "rowsOf">,
  hashes: readonly string[],
): Script<boolean> {
  if (hashes.length <= 1) return hashes[0] !== undefined && (yield* isThere(hashes[0]));
  const sql = `select 1 from ${among.from} join precis_nodes n on ${hasHash(among.value, "n.")} limit 1`;
  return (yield* rows(sql, rowsOf.value(hashes))).length > 0;
}

/** A first message ("ping") may stand in a hundred thousand conversations: of those that have a message, the newest are looked at. */
export const NEWEST_WITH = `(select id from precis_nodes where ${hasHash("?")} order by id desc limit 100)`;

/** Of several conversations with the same messages: one that ends there rather than one that went on otherwise. */
function bestMatch(
  { among, rowsOf }: SqlEngine,
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
     from ${isOne ? "precis_nodes n" : `${among.from} join precis_nodes n on ${hasHash(among.value, "n.")}`}
     join precis_conversations c on c.key = ${keyOfNode("n.id")} and c.tenant = ? and c.deleted_at is null
       ${isOfSession} ${isOfFormat} ${isUnnamed} ${isUnanswered ? `and c.leaf = n.id and ${hasHead}` : ""}
     ${isOne ? `where n.id in ${NEWEST_WITH}` : ""}
     order by ${isOne ? "" : `${among.place} desc,`} case when c.leaf = n.id then 0 else 1 end,
       ${head === undefined ? "" : `case when ${hasHead} then 0 else 1 end,`} c.updated_at desc, c.id desc limit 1`,
    ...(isOne ? [] : [rowsOf.value(hashes)]),
    tenant,
    ...(session === undefined ? [] : [session]),
    ...(dialect === undefined ? [] : [dialect]),
    ...(unnamed ? [unnamed.hash] : []),
    ...(isUnanswered ? headName : []),
    ...(isOne ? [...hashes, ...hashes] : []),
    ...(head === undefined ? [] : headName),
  );
}
