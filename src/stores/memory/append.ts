import type { Append, Appended } from "../server-store.ts";
import { anchorNotFound, conversationNotFound } from "../shared/not-found.ts";
import type { TextPlaces } from "../shared/place-texts.ts";
import {
  type AppendCall,
  type AppendPlan,
  type AppendTarget,
  checkCall,
  forkLength,
  planAppend,
  type SharedPrefix,
} from "../shared/plan-append.ts";
import { messageOf } from "../shared/rows.ts";
import { tokensIn } from "../shared/said-columns.ts";
import { type HeldConversation, newestOf, type TenantData } from "./tenant-data.ts";

/** Every text stands where it is used, so it is its own address. */
const TEXT_PLACES: TextPlaces = { addressOf: (wire) => wire, standsWithMessage: () => true };

/** Adds messages to the conversation that they belong to, to a fork of it, or to a new one. */
export function append(data: TenantData, call: AppendCall): Appended {
  checkCall(call);
  const known = targetOf(data, call.input);
  const plan = planAppend(call, known && lookUp(known, call.input), TEXT_PLACES);
  carryOut(data, known, plan);
  return plan.appended;
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
    ({ row }) =>
      row.session === session && (after === undefined || data.byHash.get(after)?.has(row.id) === true),
  );
}

function lookUp(
  { row, messages }: HeldConversation,
  input: Append,
): { readonly target: AppendTarget; readonly prefix: SharedPrefix | undefined } {
  const { after } = input;
  const start = after === undefined ? 0 : messages.findIndex(({ hash }) => hash === after) + 1;
  if (after !== undefined && start === 0) throw anchorNotFound(row.id);
  const behind = messages.slice(start).map(({ hash, tokens = null }) => ({ hash, tokens, body: null }));
  const target = { row, start, behind };
  const length = forkLength(input, target);
  if (length === undefined) return { target, prefix: undefined };
  const shared = messages.slice(0, length);
  const hasAnswer = shared.some(({ role }) => role === "assistant");
  return { target, prefix: { hasAnswer, tokens: tokensIn(shared) } };
}

function carryOut(data: TenantData, known: HeldConversation | undefined, plan: AppendPlan): void {
  if (known && plan.removeFrom !== undefined) removeMessages(data, known, plan.removeFrom);
  for (const { position, answer } of plan.answers)
    known!.messages[position] = { ...known!.messages[position]!, answer };
  const prefix = plan.copied && known ? known.messages.slice(0, plan.copied.length) : [];
  const citations = plan.copied?.citations ? [...(known?.citations ?? [])] : [];
  const held = plan.made ? { row: plan.made, messages: [], citations } : known!;
  held.row = { ...held.row, ...plan.changes };
  const added = plan.messages.map((row) => messageOf({ ...row, wire: row.wire! }));
  for (const message of [...prefix, ...added]) {
    held.messages.push(message);
    const holders = data.byHash.get(message.hash) ?? new Set();
    data.byHash.set(message.hash, holders.add(held.row.id));
    data.tombstones.delete(message.hash);
  }
  data.conversations.set(held.row.id, held);
}

function removeMessages({ byHash }: TenantData, { row, messages }: HeldConversation, from: number): void {
  for (const { hash } of messages.splice(from)) {
    const holders = byHash.get(hash);
    holders?.delete(row.id);
    if (holders?.size === 0) byHash.delete(hash);
  }
}
