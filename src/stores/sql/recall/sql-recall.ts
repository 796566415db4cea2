import { dialectById } from "../../../apis/dialect-by-id.ts";
import {
  type ByKind,
  type FoundMessage,
  KINDS,
  type Kind,
  NEIGHBOURS,
  type RecallIndex,
  type Statistics,
} from "../../../recall/candidates.ts";
import { readHead } from "../../../recall/conversation-index.ts";
import type { IndexScope } from "../../server-store.ts";
import { readBody } from "../bodies.ts";
import { type ConversationRow, NODES_PER_CONVERSATION, rowOf } from "../conversation-row.ts";
import { firstRow, rows, type Script } from "../script.ts";
import type { SqlContext } from "../sql-context.ts";
import type { SqlEngine } from "../sql-engine.ts";
import { numberOfNode, pathIds, readPath } from "../tree.ts";
import {
  indexSome,
  type Known,
  keyOf,
  keyOfDocument,
  knownTenant,
  knownTotals,
  NO_TOTALS,
  nodeOf,
  rangeOf,
  readWire,
  type Totals,
  tokenOf,
} from "./index-messages.ts";

/** Messages that one transaction indexes before a search, so that others aren't held up. */
const MESSAGES_AT_ONCE = 50;
/**
 * Documents of one term that are looked at where a whole tenant is searched. Of a term that is in more of them the newest: they
 * tell how frequent it is, and what it is frequent in is found by the rarer words beside it.
 */
const DOCUMENTS_PER_TERM = 128;
/** Where all words are so frequent, of the rarest one. */
const DOCUMENTS_OF_RAREST = 1_000;
/** Messages that are handed over with all of their neighbours where a whole tenant is searched: each has to be read again. */
const BEST_OF_TENANT = 12;
/**
 * How far their neighbours reach there. To read neighbours again is what takes longest: with all eight on each side the slowest
 * searches over a million messages take 61 ms (p95), with four 38 ms, and find the same.
 */
const NEIGHBOURS_OF_TENANT = 4;

/** All documents there are. */
const EVERYTHING = [0, Number.MAX_SAFE_INTEGER] as const;
const NONE: ByKind = { user: 0, assistant: 0, data: 0 };

/** The index of a tenant, or of one of its conversations. */
export function sqlRecall(
  context: SqlContext,
  tenant: string,
  { conversation, of }: IndexScope = {},
): RecallIndex {
  const { engine, read, write } = context;
  return {
    async candidates({ terms, limit, signal }) {
      do signal?.throwIfAborted();
      while (await write("recall", () => indexSome(engine, MESSAGES_AT_ONCE, tenant)));
      return read("recall", () => candidates(engine, { tenant, conversation, of, terms, limit }));
    },
  };
}

interface Wanted extends IndexScope {
  readonly tenant: string;
  readonly terms: readonly string[];
  readonly limit: number;
}

function* candidates(
  engine: SqlEngine,
  { tenant, conversation, of, terms, limit }: Wanted,
): Script<{ readonly statistics: Statistics; readonly messages: readonly FoundMessage[] }> {
  const whole = yield* knownTenant(tenant);
  const one = conversation === undefined ? undefined : yield* rowOf(tenant, conversation);
  const totals = conversation === undefined ? whole?.totals : one && (yield* knownTotals(one.key));
  if (!whole || !totals) return { statistics: { ...NO_TOTALS, frequency: () => NONE }, messages: [] };
  const frequencies = new Map<string, ByKind>();
  const scores = new Map<number, number>();
  const find = function* (term: string, kind: Kind, most: number): Script<readonly number[]> {
    const { sql, parameters } = engine.textIndex.find(
      [tokenOf(whole.number, keyOf(kind, term))],
      one ? rangeOf(one.key) : EVERYTHING,
      most,
      one ? undefined : isListed(of),
    );
    return (yield* rows<{ readonly doc: number }>(sql, ...parameters)).map(({ doc }) => doc);
  };
  const kinds = KINDS.filter((kind) => totals.passages[kind] > 0);
  let rarest: { readonly term: string; readonly worth: number; readonly holding: Set<number> } | undefined;
  let isAnyWhole = one !== undefined;
  for (const term of terms) {
    const frequency = { ...NONE };
    const holding = new Set<number>();
    let isWhole = true;
    for (const kind of kinds) {
      const found = yield* find(term, kind, one ? Number.MAX_SAFE_INTEGER : DOCUMENTS_PER_TERM);
      for (const document of found) holding.add(nodeOf(document));
      isWhole &&= found.length < DOCUMENTS_PER_TERM;
      frequency[kind] = one ? found.length : Math.min(totals.passages[kind], estimate(found, whole));
    }
    frequencies.set(term, frequency);
    if (holding.size === 0) continue;
    const worth = rarity(totals, frequency);
    isAnyWhole ||= isWhole;
    if (!rarest || worth > rarest.worth) rarest = { term, worth, holding };
    for (const message of holding) scores.set(message, (scores.get(message) ?? 0) + worth);
  }
  if (rarest && !isAnyWhole) {
    const { term, worth, holding } = rarest;
    for (const kind of kinds)
      for (const message of (yield* find(term, kind, DOCUMENTS_OF_RAREST)).map(nodeOf))
        if (!holding.has(message)) scores.set(message, (scores.get(message) ?? 0) + worth);
  }
  const path = one && (yield* pathIds(one));
  if (path) for (const node of scores.keys()) if (!path.has(node)) scores.delete(node);
  const best = bestOf(scores, one ? limit : Math.min(limit, BEST_OF_TENANT));
  return {
    statistics: { ...totals, frequency: (term) => frequencies.get(term) ?? NONE },
    messages: yield* readAround(tenant, best, one ? NEIGHBOURS : NEIGHBOURS_OF_TENANT),
  };
}

/**
 * True of documents whose conversation is there, wasn't thrown away and is of whom it should be. Part of the question, because those of
 * others would take the few places that there are.
 */
const isListed = (of: IndexScope["of"]) => (doc: string) =>
  `exists (select 1 from precis_conversations c where c.key = ${keyOfDocument(doc)} and c.deleted_at is null
    ${of === undefined ? "" : `and c.client is ${of === "person" ? "null" : "not null"}`})`;

/** The messages with the highest scores, the newest first among equals. Most of thousands are never compared with more than one. */
function bestOf(scores: ReadonlyMap<number, number>, limit: number): number[] {
  const best: { readonly message: number; readonly score: number }[] = [];
  for (const [message, score] of scores) {
    const last = best.at(-1);
    if (
      best.length >= limit &&
      last &&
      (score < last.score || (score === last.score && message < last.message))
    )
      continue;
    let at = best.length;
    while (
      at > 0 &&
      (best[at - 1]!.score < score || (best[at - 1]!.score === score && best[at - 1]!.message < message))
    )
      at--;
    best.splice(at, 0, { message, score });
    if (best.length > limit) best.pop();
  }
  return best.map(({ message }) => message);
}

/**
 * How many documents hold a term. Of a frequent one only the newest were looked at: as dense as in these it is taken to be
 * everywhere, because to count it would take longer than the whole search.
 */
function estimate(found: readonly number[], { oldest, newest }: Known): number {
  const last = found.at(-1);
  if (last === undefined || found.length < DOCUMENTS_PER_TERM) return found.length;
  return Math.round(found.length * Math.max(1, (newest - oldest) / Math.max(1, newest - last)));
}

function rarity({ passages }: Totals, frequency: ByKind): number {
  const sum = (counts: ByKind) => KINDS.reduce((all, kind) => all + counts[kind], 0);
  const [all, holding] = [sum(passages), sum(frequency)];
  return Math.log(1 + (all - holding + 0.5) / (holding + 0.5));
}

/** Messages with those around them on their conversations' paths, each once. What stands in another branch isn't shown. */
function* readAround(tenant: string, nodes: readonly number[], neighbours: number): Script<FoundMessage[]> {
  const byConversation = Map.groupBy(nodes, (id) => Math.floor(id / NODES_PER_CONVERSATION));
  const found: FoundMessage[] = [];
  for (const [key, ids] of byConversation) {
    const conversation = yield* firstRow<ConversationRow>(
      "select * from precis_conversations where key = ? and tenant = ?",
      key,
      tenant,
    );
    if (!conversation) continue;
    const dialect = dialectById(conversation.dialect ?? "openai-chat");
    const head = conversation.head === null ? undefined : yield* readBody(conversation.head);
    const lead = readHead(dialect, head).lead.length;
    const positions = yield* positionsOnPath(conversation, ids);
    for (const [from, to] of stretches(positions, neighbours)) {
      for (const { position, wire } of yield* readPath(conversation, { from, to })) {
        const message = readWire(dialect, wire);
        if (message) found.push({ conversation: conversation.id, index: position + lead, lead, message });
      }
    }
  }
  return found;
}

/** Where nodes stand on the path; those of other branches are left out. */
function* positionsOnPath(conversation: ConversationRow, ids: readonly number[]): Script<number[]> {
  const path = yield* pathIds(conversation);
  if (!path) return ids.map(numberOfNode);
  // From the first message to the leaf.
  const inOrder = [...path].reverse();
  const wanted = new Set(ids);
  return inOrder.flatMap((id, position) => (wanted.has(id) ? [position] : []));
}

/** Positions with their neighbours, as stretches that don't overlap. */
function stretches(positions: readonly number[], neighbours: number): [from: number, to: number][] {
  const merged: [number, number][] = [];
  for (const position of [...positions].sort((a, b) => a - b)) {
    const last = merged.at(-1);
    const from = Math.max(0, position - neighbours);
    const to = position + neighbours + 1;
    if (last && from <= last[1]) last[1] = to;
    else merged.push([from, to]);
  }
  return merged;
}
