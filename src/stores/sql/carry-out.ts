import { type ConversationRow, MESSAGE_COLUMNS } from "../shared/columns.ts";
import type { AppendPlan } from "../shared/plan-append.ts";
import { deleteBody } from "./delete-body.ts";
import { inBatches, inSizes, insertConversations, insertMessages, insertTexts } from "./insert-rows.ts";
import { bodyHash } from "./place-text.ts";
import { forgetMessages, type IndexEngine } from "./recall/index-messages.ts";
import { rows, type Script } from "./script.ts";

/** Carries out what appends to different conversations write, in few passes over the tables: several times cheaper. */
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

/** Rows that one statement takes: a statement for each would be a way to the database for each message of a long chat. */
const ROWS_PER_STATEMENT = 32;

/** A text that stands in the row of a message that a fork shares. */
export interface LentText {
  readonly position: number;
  readonly body: string;
  readonly wire: string;
}

function* textsToLend(tenant: string, conversation: string, length: number): Script<LentText[]> {
  const found = yield* rows<{ position: number; wire: string }>(
    "select position, wire from precis_messages where tenant = ? and conversation = ? and position < ? and body is null",
    tenant,
    conversation,
    length,
  );
  return found.map(({ position, wire }) => ({ position, wire, body: bodyHash(wire) }));
}

/** Moves texts out of the rows of their messages into the table of bodies, where all forks share them. */
export function* moveToBodies(
  tenant: string,
  conversation: string,
  texts: readonly LentText[],
): Script<void> {
  for (const batch of inBatches(texts, ROWS_PER_STATEMENT))
    yield* rows(
      `with moved (place, text) as (values ${batch.map(() => "(cast(? as bigint), ?)").join(", ")})
       update precis_messages set body = moved.text, wire = null from moved
       where tenant = ? and conversation = ? and position = moved.place`,
      ...batch.flatMap(({ position, body }) => [position, body]),
      tenant,
      conversation,
    );
}
