import { isJson, listOf, textOf, textsOf } from "../../apis/shared/fields.ts";
import { contentHash } from "../../core/hash.ts";
import type { Dialect } from "../../core/types.ts";
import type { Conversation, ConversationStore, FindQuery } from "../../stores/server-store.ts";
import type { ChatSettings } from "../api.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import type { WireRequest } from "../wires/index.ts";
import { isThrownAway, metaOf } from "./chat-settings.ts";
import { ConversationCacheEntry, type ConversationMemory, type Place, stored } from "./memory.ts";
import type { Session } from "./named-by-client.ts";
import { type Reconciled, reconcile } from "./reconcile.ts";
import { saysAnswer, type TranscriptRecord } from "./transcript-record.ts";

/** What says which conversation a request belongs to. */
export interface Query {
  readonly tenant: string;
  readonly record: TranscriptRecord;
  /** Title calls and sub-agents of a client are other kinds of requests than its main conversation. */
  kind(): string;
  /** Reads messages of the store as those of the request were read. */
  readonly reading: Dialect<unknown>;
  readonly session: Session | undefined;
  /** Where the client goes on from, if it said so. */
  readonly from: Place | undefined;
  /** The system prompt as it is stored, and what it is remembered by. */
  head(): string | undefined;
  headMark(): string | undefined;
}

/** A conversation, and how much of a request it holds. */
export interface Match {
  readonly known: ConversationCacheEntry;
  /** Messages of the transcript that it holds. */
  readonly matched: number;
  /** Where an answer came back otherwise than it was given. */
  readonly reconciled?: Reconciled;
}

interface Finding {
  readonly store: ConversationStore;
  readonly memory: Pick<ConversationMemory, "find">;
}

/** Need nothing be looked up? A request that says no name and holds no answer is the first of its conversation, or asks once more. */
export function isFirst({ record, session, from }: Query): boolean {
  return session === undefined && from === undefined && !record.hasAnswer;
}

/** The conversation that a request begins. */
export function newConversation({ tenant, reading }: Query): Match {
  return { known: new ConversationCacheEntry(tenant, reading.id), matched: 0 };
}

/** The conversation that a request goes on with, or a new one. */
export async function matchConversation(finding: Finding, query: Query): Promise<Match> {
  const { tenant, record, reading, session } = query;
  const found = (await findNamedPlace(finding, query)) ?? (await findAnswered(finding, query));
  if (found) return found;
  if (session === undefined) return newConversation(query);
  const other = await finding.store.findSession(tenant, session.name);
  const named = (name: string) => new ConversationCacheEntry(tenant, reading.id, name);
  // A client's side calls and sub-agents share its session header, but not its conversation.
  if (other && session.source === "client")
    return {
      known: named(`${session.name}/${query.kind()}-${(record.chain[1] ?? "").slice(0, 8)}`),
      matched: 0,
    };
  // What has nothing in common with the conversation of that name is one more of it.
  const isOneMore = other !== undefined;
  const known = Object.assign(named(session.name), { isNamed: session.source === "asked", isOneMore });
  return { known, matched: 0 };
}

/** The conversation with an answer that the request holds, too: chats that merely begin with the same question are two. */
export async function findAnswered(finding: Finding, query: Query): Promise<Match | undefined> {
  const { record } = query;
  if (!record.hasAnswer) return undefined;
  const near = findNear(finding, query);
  if (near) return near;
  // Nothing before the first answer tells one conversation from another.
  const before = record.messages.findIndex(({ role }) => role === "assistant") - record.start;
  const held = await findStored(finding, query, record.chain.slice(before + 1));
  if (held) return resumed(finding, query, { ...held, matched: held.matched + before });
  // The first answer may come back otherwise than it was given.
  const question = before > 0 ? await findStored(finding, query, [record.chain[before]!]) : undefined;
  const match = question && (await resumed(finding, query, { ...question, matched: before }));
  return match?.reconciled ? match : undefined;
}

/** The conversation that holds all of a request, as the store said. */
export async function findById(
  { store, memory }: Finding,
  query: Query,
  id: string,
): Promise<Match | undefined> {
  const { tenant, record } = query;
  const seen = memory.find(tenant, id);
  const found = seen ? undefined : await store.get(tenant, id);
  const known = seen ?? (found && knownOf(memory, found, query));
  return known && { known, matched: record.chain.length - 1 };
}

/** As this server remembers it: the conversation ends within the request, and nothing but new messages follow. */
function findNear({ memory }: Finding, query: Query): Match | undefined {
  const { tenant, record, reading, session } = query;
  const { chain, messages, start } = record;
  for (let length = chain.length - 1; length > 0; length--) {
    const known = memory.find(tenant, chain[length]!);
    const isMeant = session?.source === "asked" ? known?.session === session.name : known?.isNamed === false;
    const isLike = known?.dialect === reading.id && known.head === query.headMark();
    const endsHere = isLike && known.newest === chain[length];
    if (known && endsHere && isMeant && saysAnswer(record, 0, length)) return { known, matched: length };
    // Others may hold the answer behind which it goes on.
    if (messages[start + length - 1]?.role === "assistant") return undefined;
  }
  return undefined;
}

/** The stored conversation that holds the most of these messages. */
async function findStored(
  { store, memory }: Finding,
  query: Query,
  hashes: readonly string[],
): Promise<Match | undefined> {
  const found = await store.find(query.tenant, hashes, storeQuery(query));
  return found && { known: knownOf(memory, found.conversation, query), matched: found.matched };
}

/** Which conversations of the store a request may go on with. */
export function storeQuery({ reading, session, ...query }: Query): FindQuery {
  return {
    ...(session?.source === "asked" ? { session: session.name } : { prefer: "unnamed" }),
    dialect: reading.id,
    head: query.head() ?? null,
  };
}

/** The very conversation that the client means, though others may have the same messages. */
async function findNamedPlace({ store, memory }: Finding, query: Query): Promise<Match | undefined> {
  const { tenant, record, from } = query;
  const held = from && (await store.get(tenant, from.conversation));
  if (!held || !isOf(held, query)) return undefined;
  const { length, hash } = from;
  const known = knownOf(memory, held, query);
  if (!isForSession(known, query.session)) return undefined;
  // What was stored without its secrets has another name than what is rebuilt of it.
  const isRenamed = hash !== undefined && hash !== record.chain[length];
  const reconciled = {
    matched: length,
    from: length,
    after: hash!,
    newest: hash!,
    share: 1,
    isCertain: true,
  };
  return {
    known,
    matched: length,
    ...(isRenamed && { reconciled: { ...reconciled, rewritten: new Map() } }),
  };
}

/**
 * The same place; or, if the transcript goes on there with an answer that the store doesn't know so, the place behind the
 * answer that it is. Of several branches that go on there, the one whose answer is most like it.
 */
async function resumed({ store, memory }: Finding, query: Query, found: Match): Promise<Match> {
  const { tenant, record, reading, session } = query;
  const { matched, known } = found;
  if (matched === 0 || !saysAnswer(record, matched)) return found;
  const branches = await store.behind(tenant, record.chain[matched]!);
  let best: (Match & { readonly reconciled: Reconciled }) | undefined;
  for (const { conversation, messages } of branches.toSorted(
    (a, b) => Number(b.conversation.id === known.id) - Number(a.conversation.id === known.id),
  )) {
    const isOwn = conversation.id === known.id;
    const of = isOwn ? known : knownOf(memory, conversation, query);
    if (!isOf(conversation, query) || of.isNamed !== known.isNamed || !isForSession(of, session)) continue;
    const reconciled = reconcile(record, reading, matched, messages);
    if (!reconciled || reconciled.share <= (best?.reconciled.share ?? -1)) continue;
    best = { known: of, matched: reconciled.matched, reconciled };
    if (isOwn && reconciled.isCertain) break;
  }
  return best ?? found;
}

function knownOf(
  memory: Finding["memory"],
  conversation: Conversation,
  { tenant, reading, session }: Query,
): ConversationCacheEntry {
  const seen = memory.find(tenant, conversation.id);
  if (seen) {
    if (session?.source === "asked" && seen.session === session.name) seen.isNamed = true;
    return seen;
  }
  const known = stored(tenant, conversation, reading.id);
  known.isNamed = session?.source === "asked" || conversation.named;
  return known;
}

/** May messages of the request's format be added to it? */
function isOf(conversation: Conversation, { reading }: Query): boolean {
  const isOfFormat = conversation.dialect === undefined || conversation.dialect === reading.id;
  return isOfFormat && !isThrownAway(conversation);
}

function isForSession(known: ConversationCacheEntry, session: Session | undefined): boolean {
  return session?.source !== "asked" || known.session === session.name;
}

/** Characters of a system prompt that tell one job of a client from another. Further down stand dates and file lists. */
const NAMING_CHARS = 200;

/** Which kind of request this is: main conversation, title call and sub-agents differ in system prompt or tools. */
export function kindOf(dialect: string, { system, tools, transcript }: WireRequest): string {
  const names = listOf(tools)
    .map((tool) => {
      if (!isJson(tool)) return "";
      const inner = tool["function"];
      return (
        textOf(tool["name"]) ??
        (isJson(inner) ? textOf(inner["name"]) : undefined) ??
        textOf(tool["type"]) ??
        ""
      );
    })
    .sort()
    .join(" ");
  const words = textsOf(system ?? leading(transcript)).join("\n");
  return contentHash(`${dialect}\n${words.slice(0, NAMING_CHARS)}\n${names}`).slice(0, 12);
}

function leading(transcript: readonly unknown[]): unknown {
  const first = transcript[0];
  return isJson(first) && (first["role"] === "system" || first["role"] === "developer")
    ? first["content"]
    : "";
}

/** What a person set for a conversation on the page, or did to it there. */
export interface Chat {
  readonly settings: ChatSettings | undefined;
  /** Indexes in the transcript of the request. */
  readonly pins: readonly number[];
}

/** How long settings are believed without asking the store again (milliseconds): a change works that late. */
const BELIEVED_MS = 2_000;

/**
 * What a person set for the conversation that a request goes on with; undefined if nothing was set, nor compacted, by hand. Or the
 * person has thrown it away.
 */
export async function chatOf(
  parts: Pick<CompactionParts, "store" | "now">,
  tenant: string,
  recording: Match & Pick<Query, "record">,
): Promise<Chat | "thrown away" | undefined> {
  const { known, record, matched } = recording;
  const { id } = known;
  if (id === undefined) return undefined;
  const now = parts.now();
  if (known.meta === undefined || known.meta.until <= now) {
    const found = await parts.store.conversations.meta(tenant, id).catch(() => undefined);
    known.meta = {
      of: metaOf({ meta: found?.meta }),
      isThrownAway: found?.deletedAt !== undefined,
      until: now + BELIEVED_MS,
    };
  }
  if (known.meta.isThrownAway) return "thrown away";
  const { settings, pins = [], isCompacted } = known.meta.of;
  if (settings === undefined && pins.length === 0 && !isCompacted) return undefined;
  const places = pins.map((hash) => record.chain.indexOf(hash) - 1);
  return {
    settings,
    pins: places.flatMap((index) => (index >= 0 && index < matched ? [index + record.start] : [])),
  };
}
