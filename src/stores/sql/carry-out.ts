import { type ConversationRow, MESSAGE_COLUMNS } from "../shared/columns.ts";
import type { AppendPlan } from "../shared/plan-append.ts";
import { deleteBody } from "./delete-body.ts";
import { inSizes, insertConversations, insertMessages, insertTexts } from "./insert-rows.ts";
import { type LentText, moveToBodies, textsToLend } from "./lend-texts.ts";
import { forgetMessages, type IndexEngine } from "./recall/index-messages.ts";
import { rows, type Script } from "./script.ts";

/**
 * Carries out what appends to different conversations write, in few passes over the tables: that is several times cheaper than
 * one after the other.
 */
export function* carryOut(engine: IndexEngine, plans: readonly AppendPlan[]): Script<void> {
  for (const plan of plans) yield* changeMessages(engine, plan);
  const lent = new Map<AppendPlan, readonly LentText[]>();
  for (const plan of plans)
    if (plan.copied) lent.set(plan, yield* textsToLend(plan.tenant, plan.copied.from, plan.copied.length));
  yield* insertTexts(textsOf(plans, lent));
  for (const [{ tenant, copied }, texts] of lent) yield* moveToBodies(tenant, copied!.from, texts);
  yield* insertConversations(plans.flatMap(({ made }) => made ?? []));
  for (const plan of plans) yield* copyPrefix(plan);
  yield* insertMessages(plans.flatMap(({ messages }) => messages));
  yield* unbury(plans);
  for (const { tenant, appended, changes } of plans)
    yield* changeConversation(tenant, appended.conversation, changes);
  for (const { tenant, left } of plans) for (const hash of left) yield* deleteBody(engine, tenant, hash);
}

/** Messages that are there give way, or end another answer. */
function* changeMessages(
  engine: IndexEngine,
  { tenant, appended, copied, removeFrom, answers }: AppendPlan,
): Script<void> {
  const conversation = copied?.from ?? appended.conversation;
  if (removeFrom !== undefined) {
    yield* forgetMessages(engine, tenant, conversation, removeFrom);
    yield* rows(
      "delete from precis_messages where tenant = ? and conversation = ? and position >= ?",
      tenant,
      conversation,
      removeFrom,
    );
  }
  for (const { position, answer } of answers)
    yield* rows(
      "update precis_messages set answer = ? where tenant = ? and conversation = ? and position = ?",
      answer,
      tenant,
      conversation,
      position,
    );
}

/** All bodies, each once, in one order everywhere, so that two transactions never wait for each other. */
function textsOf(plans: readonly AppendPlan[], lent: ReadonlyMap<AppendPlan, readonly LentText[]>) {
  const texts = new Map<string, { tenant: string; hash: string; wire: string }>();
  for (const plan of plans) {
    const { tenant } = plan;
    for (const [hash, wire] of plan.texts) texts.set(`${tenant}\0${hash}`, { tenant, hash, wire });
    for (const { body: hash, wire } of lent.get(plan) ?? [])
      texts.set(`${tenant}\0${hash}`, { tenant, hash, wire });
  }
  return [...texts.keys()].sort().map((key) => texts.get(key)!);
}

const PLACE = ["conversation", "wire"];
/** What a fork copies of each message: all but its place, and the text, which is a body. */
const COPIED = MESSAGE_COLUMNS.filter((name) => !PLACE.includes(name)).join(", ");

function* copyPrefix({ tenant, made, copied }: AppendPlan): Script<void> {
  if (!copied || !made) return;
  yield* rows(
    `insert into precis_messages (conversation, ${COPIED})
     select ?, ${COPIED} from precis_messages where tenant = ? and conversation = ? and position < ?`,
    made.id,
    tenant,
    copied.from,
    copied.length,
  );
  // A number that the shared messages mention must mean the same source in the fork.
  if (copied.citations)
    yield* rows(
      `insert into precis_citations (tenant, conversation, number, source_hash, source, title)
       select tenant, ?, number, source_hash, source, title from precis_citations
       where tenant = ? and conversation = ?`,
      made.id,
      tenant,
      copied.from,
    );
}

/** What was deleted and is sent again is a conversation like any other. */
function* unbury(plans: readonly AppendPlan[]): Script<void> {
  const hashes = new Map<string, string[]>();
  for (const { tenant, messages } of plans) {
    const known = hashes.get(tenant) ?? [];
    hashes.set(tenant, known);
    for (const { hash } of messages) known.push(hash);
  }
  for (const [tenant, all] of hashes)
    for (const part of inSizes(all))
      yield* rows(
        `delete from precis_tombstones where tenant = ? and hash in (${part.map(() => "?").join(", ")})`,
        tenant,
        ...part,
      );
}

/** Writes only the columns that change. */
export function* changeConversation(
  tenant: string,
  id: string,
  changes: Partial<ConversationRow>,
): Script<void> {
  const names = Object.keys(changes);
  if (names.length === 0) return;
  yield* rows(
    `update precis_conversations set ${names.map((name) => `${name} = ?`).join(", ")} where tenant = ? and id = ?`,
    ...Object.values(changes),
    tenant,
    id,
  );
}
