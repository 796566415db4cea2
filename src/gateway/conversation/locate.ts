import type { Dialect } from "../../core/types.ts";
import type { Conversation, ConversationStore, FoundConversation } from "../../stores/server-store.ts";
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
  if (found) return resumed(context, sought, found);
  if (session === undefined) return { known: invented(tenant, lane, dialect), matched: 0 };
  const held = await store.findSession(tenant, session.name);
  // A client's side calls and sub-agents share its session header, but not its conversation.
  if (held && !isThrownAway(held) && session.source === "client")
    return {
      known: named(tenant, `${session.name}/${lane}-${(chain[1] ?? "").slice(0, 8)}`, lane, dialect),
      matched: 0,
    };
  const known = { ...named(tenant, session.name, lane, dialect), isNamed: session.source === "asked" };
  if (held && isOf(held, dialect)) return { known: { ...known, id: held.id }, matched: 0 };
  // The name is taken by a conversation of another wire format, or by one that was thrown away: this is one more of that name.
  return { known: { ...known, isInvented: held !== undefined }, matched: 0 };
}

/** The stored conversation that holds most of a request's messages as they are. */
async function locateStored(store: ConversationStore, sought: Sought): Promise<Located | undefined> {
  const { tenant, record, session } = sought;
  const of = session?.source === "asked" ? { session: session.name } : { prefer: "unnamed" as const };
  const far = await store.find(tenant, record.chain.slice(1), of);
  return far && goingOn(store, sought, far);
}

/** Is there an answer behind so many messages of a transcript? */
function saysAnswerBehind({ messages, start }: TranscriptRecord, matched: number): boolean {
  return messages.slice(start + matched).some(({ role }) => role === "assistant");
}

/** What `find` found; where a person has thrown that away, another conversation that holds the same, such as the one that went on. */
async function goingOn(
  store: ConversationStore,
  sought: Sought,
  { conversation, matched }: FoundConversation,
): Promise<Located | undefined> {
  const { tenant, record, dialect, session } = sought;
  const others = isThrownAway(conversation) ? await store.holding(tenant, record.chain[matched]!) : [];
  const found = [conversation, ...others].find(
    (one) => isOf(one, dialect) && (session?.source !== "asked" || one.session === session.name),
  );
  return found && { known: knownOf(found, sought), matched };
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
  { conversation: id, length }: Place,
): Promise<Located | undefined> {
  const { tenant, record, lane, dialect } = sought;
  const near = memory.find(tenant, record.chain, { lane, dialect, id });
  if (near) return near;
  const held = await store.get(tenant, id);
  return held && isOf(held, dialect) ? { known: knownOf(held, sought), matched: length } : undefined;
}

/**
 * The same place; or, if the transcript goes on there with an answer that the store doesn't know so, the place behind the
 * answer that it is. Of several conversations that go on there, the one whose answer is most like it.
 */
async function resumed(
  context: { readonly store: ConversationStore; readonly memory: ConversationMemory },
  sought: Sought,
  found: Located,
): Promise<Located> {
  const { store, memory } = context;
  const { tenant, record, reading, lane, dialect, session } = sought;
  const { matched } = found;
  const anchor = storedAs(found.known, record.chain[matched]!);
  if (matched === 0 || found.known.id === undefined || !saysAnswerBehind(record, matched)) return found;
  const from = async (id: string) =>
    goOn(record, reading, matched, await store.read(tenant, id, { after: anchor }));
  const own = await from(found.known.id);
  if (own?.isCertain) return { ...found, matched: own.matched, goesOn: own };
  let best = own && { ...found, matched: own.matched, goesOn: own };
  for (const conversation of await store.holding(tenant, anchor)) {
    if (conversation.id === found.known.id || !isOf(conversation, dialect)) continue;
    const near = memory.find(tenant, record.chain, { lane, dialect, id: conversation.id });
    const other = near?.known ?? knownOf(conversation, sought);
    if (other.isNamed !== found.known.isNamed || !fits(other, session)) continue;
    const goesOn = await from(conversation.id);
    if (goesOn && goesOn.share > (best?.goesOn.share ?? -1))
      best = { known: other, matched: goesOn.matched, goesOn };
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
