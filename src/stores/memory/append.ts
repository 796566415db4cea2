import type { Append, Appended, Conversation, NewMessage } from "../server-store.ts";
import { checkAppend } from "../shared/check-append.ts";
import { cleanTitle } from "../shared/clean-text.ts";
import { anchorNotFound, conversationNotFound } from "../shared/not-found.ts";
import { newestOf } from "./newest-of.ts";
import type { HeldConversation, MemoryContext, TenantData } from "./tenant-data.ts";

/** Adds messages to the conversation that they belong to, to a fork of it, or to a new one. */
export function append(context: MemoryContext, data: TenantData, given: Append): Appended {
  const input = rounded(given);
  checkAppend(input);
  const known = targetOf(data, input);
  if (!known && input.after !== undefined) throw anchorNotFound("(new)");
  const start = known ? positionAfter(known, input.after) : 0;
  if (known && input.instead) giveWay(data, known, start, input.instead);
  const shared = known
    ? input.messages.findIndex((message, i) => known.messages[start + i]?.hash !== message.hash)
    : 0;
  const rest = shared === -1 ? [] : input.messages.slice(shared);
  const position = start + input.messages.length - rest.length;
  if (known) renameAnswers(known, start, input.messages.slice(0, position - start));
  const isFork = known !== undefined && rest.length > 0 && position < known.messages.length;
  const prefix = isFork ? known.messages.slice(0, position) : [];
  // Chats that merely begin with the same words of a user have nothing to do with each other.
  const origin = isFork && prefix.some((message) => message.role === "assistant") ? known : undefined;

  const target = known && !isFork ? known : create(context, input, origin, position);
  target.messages.push(...prefix, ...rest.map((message, i) => ({ ...message, position: position + i })));
  for (const { hash } of [...prefix, ...rest]) {
    const holders = data.byHash.get(hash) ?? new Set();
    data.byHash.set(hash, holders.add(target.conversation.id));
    data.tombstones.delete(hash);
  }
  if (input.head !== undefined) target.head = input.head;
  target.conversation = {
    ...target.conversation,
    length: target.messages.length,
    tokens: target.messages.reduce((sum, message) => sum + (message.tokens ?? 0), 0),
    ...(rest.length > 0 && { updatedAt: Math.max(input.at, target.conversation.updatedAt) }),
    ...(input.ttlMs !== undefined && { expiresAt: input.at + input.ttlMs }),
    ...(input.session !== undefined && { session: input.session }),
    ...(input.named && { named: true }),
    ...(input.dialect !== undefined && { dialect: input.dialect }),
    ...(input.model !== undefined && { model: input.model }),
  };
  data.conversations.set(target.conversation.id, target);
  return {
    conversation: target.conversation.id,
    forkOf: origin?.conversation.id,
    added: rest.length,
    length: target.messages.length,
  };
}

/** Whole milliseconds and tokens, as in a database. */
function rounded(given: Append): Append {
  return {
    ...given,
    messages: given.messages.map((message) => ({
      ...message,
      at: Math.round(message.at),
      ...(message.tokens !== undefined && { tokens: Math.round(message.tokens) }),
    })),
    ...(given.ttlMs !== undefined && { ttlMs: Math.round(given.ttlMs) }),
    at: Math.round(given.at),
  };
}

function targetOf(
  data: TenantData,
  { conversation, session, after, isNew }: Append,
): HeldConversation | undefined {
  if (conversation !== undefined) {
    const held = data.conversations.get(conversation);
    if (!held) throw conversationNotFound("append", conversation);
    return held;
  }
  if (session === undefined || isNew) return undefined;
  return newestOf(
    data,
    (held) =>
      held.conversation.session === session &&
      (after === undefined || data.byHash.get(after)?.has(held.conversation.id) === true),
  );
}

function positionAfter({ conversation, messages }: HeldConversation, after: string | undefined): number {
  if (after === undefined) return 0;
  const index = messages.findIndex((message) => message.hash === after);
  if (index === -1) throw anchorNotFound(conversation.id);
  return index + 1;
}

/** The conversation's last messages go, if they are still those that the client says otherwise. */
function giveWay(
  { byHash }: TenantData,
  { conversation, messages }: HeldConversation,
  start: number,
  instead: readonly string[],
): void {
  const last = messages.slice(start);
  if (last.length !== instead.length || last.some(({ hash }, index) => hash !== instead[index])) return;
  messages.length = start;
  for (const { hash } of last) {
    const holders = byHash.get(hash);
    holders?.delete(conversation.id);
    if (holders?.size === 0) byHash.delete(hash);
  }
}

/** Messages that were there already may be the end of another answer, with the same words. */
function renameAnswers({ messages }: HeldConversation, start: number, shared: readonly NewMessage[]): void {
  for (const [index, { answer }] of shared.entries())
    if (answer !== undefined) messages[start + index] = { ...messages[start + index]!, answer };
}

function create(
  { newId }: MemoryContext,
  input: Append,
  origin: HeldConversation | undefined,
  position: number,
): HeldConversation {
  const from = origin?.conversation;
  const session = input.session ?? from?.session;
  const conversation: Conversation = {
    id: newId(),
    session,
    named: input.named ?? (from?.session === session && from?.named === true),
    title: cleanTitle(input.title ?? from?.title ?? ""),
    dialect: input.dialect ?? from?.dialect,
    model: input.model ?? from?.model,
    length: 0,
    tokens: 0,
    createdAt: input.at,
    updatedAt: input.at,
    expiresAt: input.ttlMs === undefined ? from?.expiresAt : input.at + input.ttlMs,
    pinned: false,
    archived: false,
    fork: from && { of: from.id, length: position },
    meta: from?.meta,
  };
  return { conversation, head: origin?.head, messages: [], citations: [...(origin?.citations ?? [])] };
}
