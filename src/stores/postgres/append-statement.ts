import type { Append } from "../server-store.ts";
import {
  CONVERSATION_COLUMNS,
  CONVERSATION_ENTRIES,
  type ConversationRow,
  type Growth,
  MESSAGE_COLUMNS,
  MESSAGE_FACT_NAMES,
  MESSAGE_FACTS,
  type MessageRow,
} from "../shared/columns.ts";
import { type PlacedTexts, placeTexts } from "../shared/place-texts.ts";
import { type AppendCall, checkCall, planAppend, surelyBegins } from "../shared/plan-append.ts";
import { saidOf } from "../shared/said-columns.ts";
import { TEXT_PLACES } from "../sql/place-text.ts";

/**
 * Many appends as one statement: one way to the database and one commit for all of them. It knows the kinds that almost
 * every request is: a new conversation, and messages of which the first ones may be there and the others follow the
 * conversation's last one. (A node that others shared the conversation with doesn't know yet what they have added.) A
 * conversation that turns out otherwise (a fork, or another transaction has it) is left as it is, and with it everything
 * that was to be written for it.
 *
 * A hash says everything up to its message, so the conversation's last one tells how many of the messages are there.
 * Conversations come before texts and texts are in order, as in every other transaction that writes both. What there is
 * none of in a batch isn't in its statement either: for a few appends, setting up a statement costs more than its rows.
 */
function textOf({ grows, makes, heads }: BatchKind): string {
  return `with ${grows ? `${grown("$3")}, ` : ""}${makes ? `${made(grows ? "$4" : "$3")}, ` : ""}
place as materialized (
  ${grows ? "select tenant, id, head, shared, start from grown" : ""}
  ${grows && makes ? "union all" : ""}
  ${makes ? "select tenant, id, head, 0 as shared, 0 as start from made" : ""}
), said as materialized (
  select place.tenant, place.id as conversation, place.start + m.position as position, ${MESSAGE_REST.map((name) => `m.${name}`).join(", ")}
  from json_to_recordset($1) as m (${MESSAGE_TYPES})
  join place on place.tenant = m.tenant and place.id = m.conversation and place.shared <= m.position
), texts as (
  insert into precis_bodies (tenant, hash, wire)
  select b.tenant, b.hash, b.wire from json_to_recordset($2) as b (tenant text, hash text, wire text)
  where (b.tenant, b.hash) in (select tenant, body from said union all select tenant, head from place)
  order by b.tenant, b.hash
  on conflict (tenant, hash) do nothing
), placed as (
  insert into precis_messages (${MESSAGE_COLUMNS.join(", ")}) select ${MESSAGE_COLUMNS.join(", ")} from said
), remembered as (
  delete from precis_tombstones t using said where t.tenant = said.tenant and t.hash = said.hash
)
${heads ? UNUSED_HEADS : ""}
${grows ? `select call, shared, length${heads ? LEFT_HEAD : ""} from grown` : "select where false"}`;
}

/** What a message has beside its place, and the columns of the list of messages; `position` counts from the first new one. */
const MESSAGE_REST = [...MESSAGE_FACT_NAMES, "body", "wire"] as const;
const MESSAGE_TYPES = [
  "tenant text, conversation text, position int",
  ...MESSAGE_FACT_NAMES.map((name) => `${name} ${MESSAGE_FACTS[name].type}`),
  "body text, wire text",
].join(", ");

/** Columns of conversations that grow in one way. */
const growing = (wanted: Growth) => CONVERSATION_ENTRIES.filter(([, { growth }]) => growth === wanted);
const [newest, most] = [growing("newest"), growing("most")];
const ASKED_TYPES = [...newest, ...most].map(([name, { type }]) => `${name} ${type}`).join(", ");

const grown = (rows: string) => `asked as materialized (
  select * from json_to_recordset(${rows}) as asked (call int, tenant text, id text, after text, hashes text[],
    tokens bigint[], ${ASKED_TYPES})
), held as materialized (
  select asked.*, c.place, c.head as old_head, s.shared, cardinality(asked.hashes) as count from asked
  cross join lateral (
    select ctid as place, tenant, id, head, length from precis_conversations
    where tenant = asked.tenant and id = asked.id limit 1
    for no key update skip locked
  ) c
  cross join lateral (
    select hash from precis_messages where tenant = c.tenant and conversation = c.id and position = c.length - 1 limit 1
  ) m
  cross join lateral (
    select case when m.hash = asked.after then 0 else array_position(asked.hashes, m.hash) end as shared
  ) s
  where s.shared < cardinality(asked.hashes)
    and case when s.shared = 0 then true when asked.after is null then s.shared = c.length else exists (
      select from precis_messages
      where tenant = c.tenant and conversation = c.id and position = c.length - 1 - s.shared and hash = asked.after
    ) end
), grown as (
  update precis_conversations c set
    length = c.length + held.count - held.shared,
    tokens = c.tokens + (select sum(one) from unnest(held.tokens[held.shared + 1:]) one),
    ${most.map(([name]) => `${name} = greatest(c.${name}, held.${name})`).join(", ")},
    ${newest.map(([name]) => `${name} = coalesce(held.${name}, c.${name})`).join(", ")}
  from held where c.ctid = held.place
  returning held.call, c.tenant, c.id, held.head, held.old_head, held.shared, c.length - held.count as start, c.length
)`;

const made = (rows: string) => `made as (
  insert into precis_conversations (${CONVERSATION_COLUMNS.join(", ")})
  select ${CONVERSATION_COLUMNS.join(", ")} from json_populate_recordset(null::precis_conversations, ${rows})
  returning tenant, id, head
)`;

/** The head before this one would outlive its conversation. Each question is its own, so that no plan reads a whole table. */
const UNUSED_HEADS = `, unused as (
  delete from precis_bodies b
  using (select distinct tenant, old_head as hash from grown where old_head <> head) old
  where b.tenant = old.tenant and b.hash = old.hash
    and (select 1 from precis_messages where tenant = old.tenant and body = old.hash limit 1) is null
    and (select 1 from precis_conversations c where c.tenant = old.tenant and c.head = old.hash and (
      select 1 from grown where grown.tenant = c.tenant and grown.id = c.id and grown.old_head <> grown.head limit 1
    ) is null limit 1) is null
    and (select 1 from said where said.tenant = old.tenant and said.body = old.hash limit 1) is null
    and (select 1 from place where place.tenant = old.tenant and place.head = old.hash limit 1) is null
  returning b.tenant, b.hash
)`;

/** The head before this one if others had it; they may have left it in the same moment. */
const LEFT_HEAD = `, case when old_head <> head and not exists (
  select from unused where unused.tenant = grown.tenant and unused.hash = grown.old_head
) then old_head end as left_head`;

/** What there is in a batch: conversations that are there, ones that aren't, heads of those that are. */
interface BatchKind {
  readonly grows: boolean;
  readonly makes: boolean;
  readonly heads: boolean;
}

/** True for the calls that the statement may know. Names that can't be are left to whoever can say so. */
export function isPlain(call: AppendCall): boolean {
  const { input } = call;
  if (input.messages.length === 0 || input.instead !== undefined) return false;
  if (input.conversation === undefined && !surelyBegins(input)) return false;
  // Messages that turn out to be there get no other answer by it, and the last one is never there.
  if (input.messages.some(({ answer }, nth) => answer !== undefined && nth < input.messages.length - 1))
    return false;
  try {
    checkCall(call);
    return true;
  } catch {
    return false;
  }
}

/** The statement of a batch, with its values. In its rows, `call` is the number of the call in the batch. */
export function appendStatement(calls: readonly AppendCall[]): {
  readonly text: string;
  readonly values: readonly unknown[];
} {
  const texts = new Map<string, Text>();
  const asked: object[] = [];
  const made: ConversationRow[] = [];
  const said: MessageRow[] = [];
  for (const [index, call] of calls.entries()) {
    const { tenant, input } = call;
    let placed: Pick<PlacedTexts, "messages" | "bodies">;
    if (input.conversation === undefined) {
      const plan = planAppend(call, undefined, TEXT_PLACES);
      if (plan.made) made.push(plan.made);
      placed = { messages: plan.messages, bodies: plan.texts };
    } else {
      // Where the messages of a conversation begin that is there only the statement finds out.
      const place = { tenant, conversation: input.conversation, position: 0 };
      const { head, ...rest } = placeTexts(place, input.messages, input.head, TEXT_PLACES);
      asked.push({ call: index, ...growthOf(place, input, head) });
      placed = rest;
    }
    said.push(...placed.messages);
    for (const [hash, wire] of placed.bodies) texts.set(`${hash}${tenant}`, { tenant, hash, wire });
  }
  const kind = {
    grows: asked.length > 0,
    makes: made.length > 0,
    heads: calls.some(({ input }) => input.conversation !== undefined && input.head !== undefined),
  };
  const rows = [said, [...texts.values()], ...[asked, made].filter(({ length }) => length > 0)];
  return { text: textOf(kind), values: rows.map((one) => JSON.stringify(one)) };
}

/** What an append asks of a conversation that is there. The sums are the statement's: some messages may be there. */
function growthOf(
  { tenant, conversation: id }: Pick<MessageRow, "tenant" | "conversation">,
  input: Append,
  head: string | undefined,
) {
  const { after, messages } = input;
  return {
    ...saidOf(input, messages, head),
    tenant,
    id,
    after,
    hashes: messages.map(({ hash }) => hash),
    tokens: messages.map(({ tokens = 0 }) => Math.round(tokens)),
  };
}

interface Text {
  readonly tenant: string;
  readonly hash: string;
  readonly wire: string;
}
