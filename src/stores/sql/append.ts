import { StoreError } from "../../core/errors.ts";
import type { Append, Appended } from "../server-store.ts";
import type { ImportedConversation } from "../shared/export-line.ts";
import { anchorNotFound, conversationNotFound } from "../shared/not-found.ts";
import { checkName } from "../shared/texts.ts";
import { type BodyRow, bodyRow, headRow, isLong, loosen, nameOfText, storeTexts } from "./bodies.ts";
import {
  CONVERSATION_COLUMNS,
  type ConversationRow,
  conversationRow,
  NODES_PER_CONVERSATION,
  rowOfSession,
} from "./conversation-row.ts";
import { type EarlyRecords, insertRecord } from "./records.ts";
import { fieldsBody, insertRequests, isHeadOfRequest, type PlacedRequest } from "./requests.ts";
import { insertInto, rows, type Script } from "./script.ts";
import type { SqlEngine } from "./sql-engine.ts";
import {
  findMatch,
  isOneThere,
  keyOfNode,
  NODE_COLUMNS,
  type NodeRow,
  nodeId,
  nodeRow,
  type Place,
  placeOf,
} from "./tree.ts";

/** An append, with the id of the conversation that it makes if it makes one. */
export interface AppendCall {
  readonly tenant: string;
  readonly input: Append;
  readonly id: string;
  /** More of it follows: the leaf stays where it is. */
  readonly keepsLeaf?: true;
}

const CONVERSATION_NAMES = Object.keys(CONVERSATION_COLUMNS) as readonly (keyof ConversationRow)[];
const insertConversations = insertInto<ConversationRow>("precis_conversations", CONVERSATION_NAMES);
/** What every append changes of a conversation that is there, */
const MOVED: readonly (keyof ConversationRow)[] = ["leaf", "length", "tokens", "nodes", "updated_at"];
/** and what none changes. */
const KEPT: readonly (keyof ConversationRow)[] = [
  "key",
  "tenant",
  "id",
  "indexed",
  "created_at",
  "deleted_at",
  "pinned",
  "archived",
  "title",
  "title_search",
  "meta",
];
/** What only few appends change: to set a column costs an entry in each of its indexes, whatever it was before. */
const SELDOM = CONVERSATION_NAMES.filter((name) => !MOVED.includes(name) && !KEPT.includes(name));
type Seldom = readonly ConversationRow[keyof ConversationRow][];
const seldomOf = (row: ConversationRow): Seldom => SELDOM.map((name) => row[name]);
const moveLeaves = insertInto<ConversationRow>(
  "precis_conversations",
  CONVERSATION_NAMES,
  `on conflict (key) do update set ${MOVED.map((name) => `${name} = excluded.${name}`).join(", ")}`,
);
const insertNodes = insertInto<NodeRow>("precis_nodes", Object.keys(NODE_COLUMNS) as (keyof NodeRow)[]);

/** A conversation that is appended to, as it will be. */
interface Target {
  row: ConversationRow;
  /** What seldom changes, as it was; undefined for a conversation that is made. */
  before: Seldom | undefined;
  /** Where its messages stand, as far as anybody asked. */
  readonly places: Map<string, Place>;
  /** Messages that are new. */
  readonly added: NodeRow[];
}

/** What appends write beside conversations and their messages. */
interface Made {
  /** Long texts of messages, heads and fields. */
  readonly bodies: BodyRow[];
  /** Heads that conversations had. */
  readonly left: string[];
  /** What is said now of messages that were there before: an answer's id, and all that was given with it. */
  readonly later: (readonly [answer: string | null, given: string | null, node: number])[];
  readonly requests: PlacedRequest[];
}

/**
 * Carries out appends that came together, with few statements: the conversations that they are for are locked, then each adds the
 * messages that aren't there and moves the leaf. One that can't be carried out gets its error, and takes nothing of the others along;
 * undefined for one whose conversation another server holds: it is to be carried out alone, so that only it waits.
 */
export function* appendAll(
  engine: SqlEngine,
  given: readonly AppendCall[],
  { early, now }: { readonly early: EarlyRecords; readonly now: number },
): Script<readonly (Appended | StoreError | undefined)[]> {
  const faults = given.map(faultOf);
  const calls = yield* withUnanswered(engine, given);
  const targets = yield* lockTargets(
    engine,
    faults.some(Boolean) ? calls.filter((_, index) => !faults[index]) : calls,
  );
  const made: Made = { bodies: [], left: [], later: [], requests: [] };
  const touched = new Set<Target>();
  const outcomes: (Appended | StoreError | undefined)[] = [];
  for (const [index, call] of calls.entries()) {
    try {
      if (faults[index]) throw faults[index];
      if (isHeld(targets, call)) {
        outcomes.push(undefined);
        continue;
      }
      const target = targetOf(targets, call) ?? (yield* newTarget(engine, targets, call));
      if (target.row.nodes > 0) yield* findPlaces(target, call);
      outcomes.push(yield* plan(target, call, made));
      touched.add(target);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      outcomes.push(error);
    }
  }
  yield* loosen(engine, made.left);
  yield* storeTexts(engine, made.bodies);
  const changed = [...touched].sort((a, b) => a.row.key - b.row.key);
  yield* insertConversations(changed.filter(({ before }) => !before).map(({ row }) => row));
  yield* moveLeaves(changed.filter(({ before }) => before).map(({ row }) => row));
  for (const target of changed) if (target.before) yield* changeSeldom(target);
  yield* insertNodes(changed.flatMap(({ added }) => added));
  if (early.hasSome) for (const { row, added } of changed) yield* early.add(row.tenant, added);
  for (const [answer, given, node] of made.later) {
    // A provider that gave the same answer twice gave it two ids.
    yield* rows(
      `insert into precis_records (tenant, kind, key, hash, node, saved_at, json)
       select c.tenant, 'answer', n.answer, n.hash, n.id, n.at, '{}' from precis_nodes n
       join precis_conversations c on c.key = ${keyOfNode("n.id")} where n.id = ? and n.answer <> ?`,
      node,
      answer,
    );
    yield* rows(
      "update precis_nodes set answer = coalesce(?, answer), given = coalesce(?, given) where id = ?",
      answer,
      given,
      node,
    );
  }
  yield* insertRequests(engine, made.requests, now);
  return outcomes;
}

/** The same calls, those of requests that were asked before for the conversation that they were asked in. */
function* withUnanswered(engine: SqlEngine, calls: readonly AppendCall[]): Script<readonly AppendCall[]> {
  const hashes = calls.flatMap(({ input: { conversation, unanswered } }) =>
    conversation === undefined && unanswered ? [unanswered.hash] : [],
  );
  // Mostly none is there.
  if (!(yield* isOneThere(engine, hashes))) return calls;
  const made: AppendCall[] = [];
  for (const call of calls) {
    const { conversation, unanswered } = call.input;
    const isAsked = conversation === undefined && unanswered;
    const found = isAsked
      ? yield* findMatch(engine, call.tenant, [unanswered.hash], { ...unanswered.query, isUnanswered: true })
      : undefined;
    if (found) {
      const { session: _, isNew: __, ...rest } = call.input;
      made.push({ ...call, input: { ...rest, conversation: found.conversation.id } });
    } else made.push(call);
  }
  return made;
}

/** Why an append can't be stored, whatever the database holds. */
function faultOf({ tenant, input }: AppendCall): StoreError | undefined {
  try {
    checkName("append", "tenant", tenant);
    if (input.session !== undefined) checkName("append", "session", input.session);
    if (input.id !== undefined) checkName("append", "id", input.id);
    if (input.model !== undefined) checkName("append", "model", input.model);
    for (const { answer } of input.messages) if (answer !== undefined) checkName("append", "answer", answer);
    return undefined;
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
}

/** The conversations of a batch, by what appends name them with. */
interface Targets {
  readonly byId: Map<string, Target>;
  readonly bySession: Map<string, Target>;
  /** Conversations and sessions whose conversation another server holds. */
  readonly held: Set<string>;
}

const nameOf = (tenant: string, name: string): string => `${tenant.length} ${tenant} ${name}`;

/** Finds the conversations that appends are for. Where rows can be locked, they stay as they are until the transaction ends. */
function* lockTargets(engine: SqlEngine, calls: readonly AppendCall[]): Script<Targets> {
  const targets: Targets = { byId: new Map(), bySession: new Map(), held: new Set() };
  if (
    calls.every(({ input: { conversation, session } }) => conversation === undefined && session === undefined)
  )
    return targets;
  // Of several, only those whose conversation is held wait for it.
  const waits = !engine.lockRows || calls.length === 1;
  const known = (row: ConversationRow): Target => {
    const name = nameOf(row.tenant, row.id);
    const target = targets.byId.get(name) ?? { row, before: undefined, places: new Map(), added: [] };
    target.row = { ...row };
    target.before = seldomOf(target.row);
    targets.byId.set(name, target);
    return target;
  };
  // In one order, so that two servers never wait for each other.
  const sessions = new Map(
    calls
      .filter(({ input }) => input.conversation === undefined && input.session !== undefined && !input.isNew)
      .map((call) => [nameOf(call.tenant, call.input.session!), call]),
  );
  for (const [name, { tenant, input }] of [...sessions].sort(([a], [b]) => (a < b ? -1 : 1))) {
    // Two first requests of one session at once must not make two conversations.
    if (engine.lockName !== undefined) yield* rows(engine.lockName, `precis/session/${name}`);
    const found = yield* rowOfSession(tenant, input.session!);
    if (found) targets.bySession.set(name, known(found));
  }
  const byTenant = Map.groupBy(
    [
      ...calls.flatMap(({ tenant, input: { conversation } }) =>
        conversation ? [{ tenant, id: conversation }] : [],
      ),
      ...[...targets.byId.values()].map(({ row: { tenant, id } }) => ({ tenant, id })),
    ],
    ({ tenant }) => tenant,
  );
  for (const tenant of [...byTenant.keys()].sort()) {
    const ids = [...new Set(byTenant.get(tenant)!.map(({ id }) => id))];
    const isAll = !engine.lockRows && ids.every((id) => targets.byId.has(nameOf(tenant, id)));
    if (isAll) continue;
    const found = yield* rows<ConversationRow>(
      `select * from precis_conversations where tenant = ? and ${engine.isOneOf("id")}
       ${engine.lockRows ? `order by key for update ${waits ? "" : "skip locked"}` : ""}`,
      tenant,
      engine.rowsOf.value(ids),
    );
    // What was found by its session may have changed until it was locked.
    for (const row of found) known(row);
    const locked = new Set(found.map(({ id }) => id));
    if (!waits) for (const id of ids) if (!locked.has(id)) targets.held.add(nameOf(tenant, id));
  }
  for (const [name, { row }] of targets.bySession)
    if (targets.held.has(nameOf(row.tenant, row.id))) targets.held.add(`session ${name}`);
  return targets;
}

function isHeld({ held }: Targets, { tenant, input }: AppendCall): boolean {
  const { conversation, session, isNew } = input;
  if (conversation !== undefined) return held.has(nameOf(tenant, conversation));
  return session !== undefined && !isNew && held.has(`session ${nameOf(tenant, session)}`);
}

function targetOf({ byId, bySession }: Targets, { tenant, input }: AppendCall): Target | undefined {
  const { conversation, session, isNew } = input;
  if (conversation !== undefined) {
    const target = byId.get(nameOf(tenant, conversation));
    if (!target) throw conversationNotFound("append", conversation);
    return target;
  }
  return session === undefined || isNew ? undefined : bySession.get(nameOf(tenant, session));
}

function* newTarget(engine: SqlEngine, targets: Targets, call: AppendCall): Script<Target> {
  const { byId, bySession } = targets;
  const { tenant, input, id } = call;
  const key = yield* engine.newKey();
  const target: Target = {
    before: undefined,
    places: new Map(),
    added: [],
    row: conversationRow(
      {
        id,
        session: input.session ?? id,
        client: input.client,
        title: input.title ?? "",
        createdAt: input.createdAt ?? input.at,
        updatedAt: input.at,
        meta: input.meta,
      },
      { key, tenant, leaf: null, nodes: 0, head: null },
    ),
  };
  byId.set(nameOf(tenant, id), target);
  if (input.session !== undefined) bySession.set(nameOf(tenant, input.session), target);
  return target;
}

/** Looks up where the messages of an append stand that are there already. */
function* findPlaces({ row, places }: Target, { input }: AppendCall): Script<void> {
  const { after, messages, request } = input;
  const hashes = messages.map(({ hash }) => hash);
  const asked = request?.message !== undefined && hashes.includes(request.message) ? [] : [request?.message];
  for (const hash of [...asked, after, ...hashes]) {
    const place = hash === undefined ? undefined : (places.get(hash) ?? (yield* placeOf(row.key, hash)));
    if (hash === undefined || !place) continue;
    places.set(hash, place);
    // Behind the last message of a conversation without branches nothing can stand.
    if (hash === after && !row.branched && place.depth === row.nodes) return;
  }
}

/** Columns that stay as they are aren't named. */
function* changeSeldom({ row, before }: Target): Script<void> {
  const set = SELDOM.filter((name, index) => before && row[name] !== before[index]);
  if (set.length > 0)
    yield* rows(
      `update precis_conversations set ${set.map((name) => `${name} = ?`).join(", ")} where key = ?`,
      ...set.map((name) => row[name]),
      row.key,
    );
}

const NOWHERE: Place = { id: -1, depth: 0, total: 0 };

/** What one append adds, and what the conversation is then. */
function* plan(target: Target, { tenant, input, keepsLeaf }: AppendCall, made: Made): Script<Appended> {
  const { row, places } = target;
  const { after, messages } = input;
  const anchor = after === undefined ? NOWHERE : places.get(after);
  if (!anchor) throw anchorNotFound(row.id);
  checkRoom("append", row, messages.length);
  let place = anchor;
  let added = 0;
  for (const message of messages) {
    const known = places.get(message.hash);
    if (known) {
      const { answer = null, given } = message;
      if (answer !== null || given) made.later.push([answer, given ? JSON.stringify(given) : null, known.id]);
      place = known;
      continue;
    }
    const n = row.nodes++;
    // A path without branches is read by its numbers.
    if (n !== place.depth) row.branched = 1;
    const body = isLong(message.wire, messages.length) ? bodyRow(tenant, message.wire) : undefined;
    if (body) made.bodies.push(body);
    place = nodeRow(message, nodeId(row.key, n), place.id < 0 ? undefined : place, body?.hash);
    target.added.push(place as NodeRow);
    places.set(message.hash, place);
    added++;
  }
  // What comes late (an answer that waited for a failing store) doesn't take the place of what was said since.
  const isNewest = anchor.id === row.leaf || Math.round(input.at) >= row.updated_at;
  if (messages.length > 0 && !keepsLeaf && (isNewest || row.leaf === null))
    Object.assign(row, { leaf: place.id, length: place.depth, tokens: place.total });
  row.updated_at = Math.max(row.updated_at, Math.round(input.at));
  if (input.head !== undefined) {
    const head = yield* headRow(tenant, input.head, row.head);
    made.bodies.push(head);
    if (row.head !== null && row.head !== head.hash && !(yield* isHeadOfRequest(row)))
      made.left.push(row.head);
    row.head = head.hash;
  }
  if (input.named) row.named = 1;
  if (input.session !== undefined) row.session = input.session;
  if (input.dialect !== undefined) row.dialect = input.dialect;
  if (input.model !== undefined) row.model = input.model;
  if (input.ttlMs !== undefined) row.expires_at = Math.round(input.at) + Math.round(input.ttlMs);
  if (input.storedAt !== undefined) row.stored_at = Math.round(input.storedAt);
  if (input.request) {
    const { request } = input;
    const node = places.get(request.message ?? "")?.id ?? place.id;
    const fields = node < 0 ? undefined : fieldsBody(tenant, request);
    if (fields) made.bodies.push(fields);
    const answer = request.answer === undefined ? null : (places.get(request.answer)?.id ?? null);
    const at = { node, answer, head: row.head, fields: fields?.hash ?? null };
    made.requests.push({ tenant, request, place: node < 0 ? null : at });
  }
  return { conversation: row.id, added, length: row.length };
}

function checkRoom(operation: string, of: Pick<ConversationRow, "id" | "nodes">, more: number): void {
  if (of.nodes + more <= NODES_PER_CONVERSATION) return;
  throw new StoreError({
    operation,
    message: `conversation ${of.id} has ${of.nodes} messages, and there is no room for ${more} more.`,
    fix: "Begin a new conversation.",
  });
}

/** Adds a whole conversation with all of its branches, as it was elsewhere. */
export function* insertTree(
  engine: SqlEngine,
  { tenant, conversation, head: text, leaf, messages }: Omit<ImportedConversation, "type">,
): Script<void> {
  checkRoom("import", { id: conversation.id, nodes: 0 }, messages.length);
  const key = yield* engine.newKey();
  const head = text === undefined ? undefined : bodyRow(tenant, text, nameOfText(tenant, text));
  const bodies = head ? [head] : [];
  const nodes: NodeRow[] = [];
  for (const [n, { message, parent = n === 0 ? null : n - 1 }] of messages.entries()) {
    const before = parent === null ? undefined : nodes[parent];
    const body = isLong(message.wire, messages.length) ? bodyRow(tenant, message.wire) : undefined;
    if (body) bodies.push(body);
    nodes.push(nodeRow(message, nodeId(key, n), before, body?.hash));
  }
  const last = nodes[leaf ?? nodes.length - 1];
  const path = {
    length: last?.depth ?? 0,
    tokens: last?.total ?? 0,
    branched: nodes.some(({ depth }, n) => depth !== n + 1),
  };
  yield* storeTexts(engine, bodies);
  yield* insertConversations([
    conversationRow(
      { ...conversation, ...path },
      { key, tenant, leaf: last?.id ?? null, nodes: nodes.length, head: head?.hash ?? null },
    ),
  ]);
  yield* insertNodes(nodes);
  for (const [n, { answers = [] }] of messages.entries())
    for (const answer of answers) {
      const { id, hash, at } = nodes[n]!;
      yield* insertRecord({ tenant, kind: "answer", key: answer, hash, saved_at: at, json: "{}" }, id);
    }
}
