import { checkName } from "../shared/check-name.ts";
import { COLUMNS, newRow, roundedTimes, tokensIn } from "../sql/append.ts";
import { bodyHash } from "../sql/body-hash.ts";
import type { AppendCall } from "../sql/sql-engine.ts";

/**
 * Many appends as one statement: one way to the database and one commit for all of them. It knows the kinds that almost
 * every request is: a new conversation, and messages of which the first ones may be there and the others follow the
 * conversation's last one. (A node that others shared the conversation with doesn't know yet what they have added.) A
 * conversation that turns out otherwise (a fork, its head changes, another transaction has it) is left as it is, and with
 * it everything that was to be written for it.
 *
 * A hash says everything up to its message, so the conversation's last one tells how many of the messages are there.
 * Conversations come before texts and texts are in order, as in every other transaction that writes both.
 */
export const APPEND_STATEMENT = `
with asked as materialized (
  select * from json_to_recordset($1) as asked (call int, tenant text, id text, is_new boolean, after text, hashes text[],
    tokens bigint[], session text, named smallint, dialect text, model text, head text, at bigint, expires_at bigint)
), held as materialized (
  select asked.*, c.place, s.shared, cardinality(asked.hashes) as count from asked
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
  where not asked.is_new and s.shared < cardinality(asked.hashes) and (asked.after is not null or s.shared = c.length)
    and (asked.head is null or c.head is null or c.head = asked.head)
), grown as (
  update precis_conversations c set
    length = c.length + held.count - held.shared,
    tokens = c.tokens + (select sum(one) from unnest(held.tokens[held.shared + 1:]) one),
    updated_at = greatest(c.updated_at, held.at),
    expires_at = coalesce(held.expires_at, c.expires_at),
    session = coalesce(held.session, c.session),
    named = greatest(c.named, held.named),
    dialect = coalesce(held.dialect, c.dialect),
    model = coalesce(held.model, c.model),
    head = coalesce(held.head, c.head)
  from held where c.ctid = held.place
  returning held.call, c.tenant, c.id, held.head, held.shared, c.length
), made as (
  insert into precis_conversations (${COLUMNS.join(", ")})
  select ${COLUMNS.join(", ")} from json_populate_recordset(null::precis_conversations, $2)
), place as materialized (
  select grown.call, grown.tenant, grown.id, grown.head, shared, length - cardinality(hashes) as start
  from grown join asked on asked.call = grown.call
  union all select call, tenant, id, head, 0, 0 from asked where is_new
), said as materialized (
  select place.tenant, place.id, place.start + m.nth as position, m.hash, m.body, m.role, m.tokens, m.at
  from json_to_recordset($3) as m (call int, nth int, hash text, body text, role text, tokens bigint, at bigint)
  join place on place.call = m.call and place.shared <= m.nth
), texts as (
  insert into precis_bodies (tenant, hash, wire)
  select b.tenant, b.hash, b.wire from json_to_recordset($4) as b (tenant text, hash text, wire text)
  where (b.tenant, b.hash) in (select tenant, body from said union all select tenant, head from place)
  order by b.tenant, b.hash
  on conflict (tenant, hash) do nothing
), placed as (
  insert into precis_messages (tenant, conversation, position, hash, body, role, tokens, at)
  select tenant, id, position, hash, body, role, tokens, at from said
), remembered as (
  delete from precis_tombstones t using said where t.tenant = said.tenant and t.hash = said.hash
)
select call, shared, length from grown`;

/** True for the calls that the statement may know. Names that can't be are left to whoever can say so. */
export function isPlain({ tenant, input }: AppendCall): boolean {
  if (input.messages.length === 0) return false;
  if (input.conversation === undefined) {
    // Somebody else may be making the session's conversation right now.
    const isNew = input.isNew === true || input.session === undefined;
    if (!isNew || input.after !== undefined) return false;
  }
  try {
    checkName("append", "tenant", tenant);
    if (input.session !== undefined) checkName("append", "session", input.session);
    return true;
  } catch {
    return false;
  }
}

/** The values of the statement. */
export function appendValues(calls: readonly AppendCall[]): readonly unknown[] {
  const bodies = new Map<string, Body>();
  const body = (tenant: string, wire: string): string => {
    const hash = bodyHash(wire);
    const key = `${hash}${tenant}`;
    if (!bodies.has(key)) bodies.set(key, { tenant, hash, wire });
    return hash;
  };
  const heads = calls.map(({ tenant, input: { head } }) =>
    head === undefined ? undefined : body(tenant, head),
  );
  const inputs = calls.map(({ input }) => roundedTimes(input));
  const asked = calls.map(({ tenant, id }, call) => {
    const { conversation = id, after, session, named, dialect, model, messages, at, ttlMs } = inputs[call]!;
    return {
      call,
      tenant,
      id: conversation,
      is_new: inputs[call]!.conversation === undefined,
      after,
      hashes: messages.map(({ hash }) => hash),
      tokens: messages.map(({ tokens = 0 }) => Math.round(tokens)),
      session,
      named: named ? 1 : 0,
      dialect,
      model,
      head: heads[call],
      at,
      expires_at: ttlMs === undefined ? undefined : at + ttlMs,
    };
  });
  const made = calls.flatMap(({ tenant, id }, call) => {
    const input = inputs[call]!;
    if (input.conversation !== undefined) return [];
    const of = {
      origin: undefined,
      position: 0,
      head: heads[call],
      length: input.messages.length,
      tokens: tokensIn(input.messages),
    };
    return [newRow({ newId: () => id }, tenant, input, of)];
  });
  const messages = inputs.flatMap(({ messages }, call) =>
    messages.map(({ hash, role, wire, tokens, at }, nth) => ({
      call,
      nth,
      hash,
      body: body(calls[call]!.tenant, wire),
      role,
      tokens: tokens === undefined ? undefined : Math.round(tokens),
      at: Math.round(at),
    })),
  );
  return [asked, made, messages, [...bodies.values()]].map((rows) => JSON.stringify(rows));
}

interface Body {
  readonly tenant: string;
  readonly hash: string;
  readonly wire: string;
}
