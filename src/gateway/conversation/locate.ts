import type { Dialect } from "../../core/types.ts";
import type { Conversation, ConversationStore } from "../../stores/server-store.ts";
import { isThrownAway } from "./chat-meta.ts";
import { type GoesOn, goOn } from "./go-on.ts";
import { invented, type Known, named } from "./known.ts";
import type { ConversationMemory, Place } from "./memory.ts";
import type { Session } from "./session-of.ts";
import type { TranscriptRecord } from "./transcript-record.ts";

/** What says which conversation a request belongs to. */
export interface Sought {
  readonly tenant: string;
  readonly record: TranscriptRecord;
  readonly lane: string;
  readonly dialect: string;
  /** Reads messages of the store as those of the request were read. */
  readonly reading: Dialect<unknown>;
  readonly session: Session | undefined;
  /** Where the client goes on from, if it said so. */
  readonly from: Place | undefined;
}

/** A conversation, and how much of a request it holds. */
export interface Located {
  readonly known: Known;
  /** Messages of the transcript that it holds. */
  readonly matched: number;
  /** Where an answer came back otherwise than it was given. */
  readonly goesOn?: GoesOn;
}

/** The conversation that a request goes on with, or a new one. */
export async function locate(
  context: { readonly store: ConversationStore; readonly memory: ConversationMemory },
  sought: Sought,
): Promise<Located> {
  const { store } = context;
  const { tenant, record, lane, dialect, session, from } = sought;
  const { chain, hasAnswer } = record;
  const meant = from && (await locateAt(context, sought, from));
  if (meant && fits(meant.known, session)) return meant;
  const near = locateNear(context, sought);
  if (near && !saysAnswerBehind(record, near.matched)) return near;
  const there = hasAnswer ? await locateStored(store, sought) : undefined;
  // A node remembers only the ends of conversations: another one may hold more of what the request says, word for word.
  const found = near && (there?.matched ?? 0) <= near.matched ? near : there;
  const located = found && (await resumed(context, sought, found));
  // Chats that merely begin with the same question are two.
  if (located && saysAnswer(record, located.matched)) return located;
  if (session === undefined) return { known: invented(tenant, lane, dialect), matched: 0 };
  const held = await store.findSession(tenant, session.name);
  // A client's side calls and sub-agents share its session header, but not its conversation.
  if (held && session.source === "client")
    return {
      known: named(tenant, `${session.name}/${lane}-${(chain[1] ?? "").slice(0, 8)}`, lane, dialect),
      matched: 0,
    };
  const known = { ...named(tenant, session.name, lane, dialect), isNamed: session.source === "asked" };
  // What has nothing in common with the conversation of that name is one more of it.
  return { known: { ...known, isInvented: held !== undefined }, matched: 0 };
}

/** The stored conversation that holds most of a request's messages as they are. */
async function locateStored(store: ConversationStore, sought: Sought): Promise<Located | undefined> {
  const { tenant, record, session, dialect } = sought;
  const of = session?.source === "asked" ? { session: session.name } : { prefer: "unnamed" as const };
  const found = await store.find(tenant, record.chain.slice(1), { ...of, dialect });
  return found && { known: knownOf(found.conversation, sought), matched: found.matched };
}

/** Is there an answer behind so many messages of a transcript? */
function saysAnswerBehind({ messages, start }: TranscriptRecord, matched: number): boolean {
  return messages.slice(start + matched).some(({ role }) => role === "assistant");
}

/** Is there an answer among the first messages of a transcript? */
export function saysAnswer({ messages, start }: TranscriptRecord, length: number): boolean {
  return messages.slice(start, start + length).some(({ role }) => role === "assistant");
}

/** May the store be left out? Nothing was named, and a request without an answer in it is a first one. */
export function isFirst({ record, session, from }: Pick<Sought, "record" | "session" | "from">): boolean {
  return session === undefined && from === undefined && !record.hasAnswer;
}

/** The same for a first request, at once. */
export function locateFirst(context: { readonly memory: ConversationMemory }, sought: Sought): Located {
  const { tenant, lane, dialect } = sought;
  return locateNear(context, sought) ?? { known: invented(tenant, lane, dialect), matched: 0 };
}

/** The conversation that a request goes on with, if this node remembers it. */
export function locateNear(
  { memory }: { readonly memory: ConversationMemory },
  { tenant, record: { chain, hasAnswer }, lane, dialect, session }: Sought,
): Located | undefined {
  const near = memory.find(tenant, chain, { lane, dialect, unnamed: session?.source !== "asked" });
  // Before the first answer only the same job counts as the same conversation: a title call has the same first words. Who
  // says the same while the first one is still being answered is somebody else.
  const isRetry =
    near?.known.lane === lane && near.known.newest === chain.at(-1) && near.known.underWay === 0;
  return near && (hasAnswer || isRetry) && fits(near.known, session) ? near : undefined;
}

/** The very conversation that the client means, though others may have the same messages. */
async function locateAt(
  { store, memory }: { readonly store: ConversationStore; readonly memory: ConversationMemory },
  sought: Sought,
  { conversation: id, length, hash }: Place,
): Promise<Located | undefined> {
  const { tenant, record, lane, dialect } = sought;
  const near = memory.find(tenant, record.chain, { lane, dialect, id });
  if (near) return near;
  const held = await store.get(tenant, id);
  if (!held || !isOf(held, dialect)) return undefined;
  // What was stored without its secrets has another name than what is rebuilt of it.
  const isRenamed = hash !== undefined && hash !== record.chain[length];
  const goesOn = { matched: length, from: length, after: hash!, newest: hash!, share: 1, isCertain: true };
  return {
    known: knownOf(held, sought),
    matched: length,
    ...(isRenamed && { goesOn: { ...goesOn, rewritten: new Map() } }),
  };
}

/**
 * The same place; or, if the transcript goes on there with an answer that the store doesn't know so, the place behind the
 * answer that it is. Of several branches that go on there, the one whose answer is most like it.
 */
async function resumed(
  { store, memory }: { readonly store: ConversationStore; readonly memory: ConversationMemory },
  sought: Sought,
  found: Located,
): Promise<Located> {
  const { tenant, record, reading, lane, dialect, session } = sought;
  const { matched, known } = found;
  if (matched === 0 || known.id === undefined || !saysAnswerBehind(record, matched)) return found;
  const branches = await store.behind(tenant, storedAs(known, record.chain[matched]!));
  let best: (Located & { readonly goesOn: GoesOn }) | undefined;
  for (const { conversation, messages } of branches.toSorted(
    (a, b) => Number(b.conversation.id === known.id) - Number(a.conversation.id === known.id),
  )) {
    const isOwn = conversation.id === known.id;
    const near = memory.find(tenant, record.chain, { lane, dialect, id: conversation.id });
    const of = isOwn ? known : (near?.known ?? knownOf(conversation, sought));
    if (!isOf(conversation, dialect) || of.isNamed !== known.isNamed || !fits(of, session)) continue;
    const goesOn = goOn(record, reading, matched, messages);
    if (!goesOn || goesOn.share <= (best?.goesOn.share ?? -1)) continue;
    best = { known: of, matched: goesOn.matched, goesOn };
    if (isOwn && goesOn.isCertain) break;
  }
  return best ?? found;
}

/** The hash under which the store has a message that a client may have sent otherwise. */
export function storedAs({ withoutReasoning }: Known, hash: string): string {
  return withoutReasoning?.comesAs === hash ? withoutReasoning.is : hash;
}

function knownOf(
  { id, session: name, named: wasAsked }: Conversation,
  { tenant, lane, dialect, session }: Sought,
): Known {
  const known = name === undefined ? invented(tenant, lane, dialect) : named(tenant, name, lane, dialect);
  return { ...known, id, isNamed: session?.source === "asked" || wasAsked };
}

/** May messages of a wire format be added to it? */
function isOf(conversation: Conversation, dialect: string): boolean {
  const isOfFormat = conversation.dialect === undefined || conversation.dialect === dialect;
  return isOfFormat && !isThrownAway(conversation);
}

function fits(known: Known, session: Session | undefined): boolean {
  return session?.source !== "asked" || known.session === session.name;
}
