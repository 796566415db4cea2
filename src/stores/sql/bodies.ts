import { contentHash } from "../../core/hash.ts";
import { NODES_PER_CONVERSATION } from "./conversation-row.ts";
import { firstRow, inBatches, insertInto, rows, type Script } from "./script.ts";
import type { SqlEngine } from "./sql-engine.ts";

/** A shorter text stands with its message (characters): to find a place for it in a table of its own costs more than the text. */
const LONG = 4_096;
/** Messages that come again behind another beginning come many at once: then shorter ones are worth a place of their own, too. */
const MANY = 8;
const LONG_AMONG_MANY = 256;
/** A shorter head is stored whole even if it has changed little (characters). */
const SHORT_HEAD = 1_024;
/** A changed head is stored as its difference if that saves this share. */
const SAVED = 0.5;

/** A text as the table holds it. */
export interface BodyRow {
  readonly hash: string;
  readonly tenant: string;
  readonly base: string | null;
  /** Characters that it begins and ends with like its base. */
  readonly prefix: number;
  readonly suffix: number;
  readonly at: number;
  readonly wire: string;
}

/** Does a text stand apart from its message? */
export function isLong(wire: string, messages: number): boolean {
  return wire.length > (messages > MANY ? LONG_AMONG_MANY : LONG);
}

const insertBodies = insertInto<BodyRow>(
  "precis_bodies",
  ["hash", "tenant", "base", "prefix", "suffix", "at", "wire"],
  "on conflict (hash) do nothing",
);

/**
 * A system prompt or the fields of a request that are no longer than this are their own name, behind a sign that no hash begins
 * with: to find places for them in two tables costs more than to write them down each time (characters).
 */
const OWN_NAME = 200;
const OWN_NAME_SIGN = "=";

/** Does a text stand in the table under its name, and not in the name itself? */
export const standsApart = (name: string): boolean => !name.startsWith(OWN_NAME_SIGN);

/** Names that are remembered: requests come with the same few system prompts and fields, and to compare them takes less than to hash them. */
const MAX_NAMES = 8;
let names: readonly { readonly tenant: string; readonly wire: string; readonly name: string }[] = [];

/** A name of its own for each tenant: nobody can find out whether another one has the same text. */
const hashOf = (tenant: string, wire: string): string => contentHash(`${tenant}\n${wire}`);

/** The name of a system prompt, or of the fields of a request. */
export function nameOfText(tenant: string, wire: string): string {
  if (wire.length <= OWN_NAME) return OWN_NAME_SIGN + wire;
  const known = names.find((one) => one.wire === wire && one.tenant === tenant);
  if (known) return known.name;
  const name = hashOf(tenant, wire);
  names = [{ tenant, wire, name }, ...names.slice(0, MAX_NAMES - 1)];
  return name;
}

export function bodyRow(tenant: string, wire: string, at: number, hash = hashOf(tenant, wire)): BodyRow {
  return { hash, tenant, base: null, prefix: 0, suffix: 0, at, wire };
}

/** A head, as its difference to the one before where that is much shorter: some clients change a date in theirs with every request. */
export function* headRow(
  tenant: string,
  wire: string,
  { before, at }: { readonly before: string | null; readonly at: number },
): Script<BodyRow> {
  const row = bodyRow(tenant, wire, at, nameOfText(tenant, wire));
  if (before === null || before === row.hash || wire.length <= SHORT_HEAD) return row;
  const base = yield* firstRow<{ readonly hash: string; readonly wire: string }>(
    `select base.hash, base.wire from precis_bodies b join precis_bodies base on base.hash = coalesce(b.base, b.hash)
     where b.hash = ?`,
    before,
  );
  if (!base) return row;
  const most = Math.min(wire.length, base.wire.length);
  let prefix = 0;
  while (prefix < most && wire.charCodeAt(prefix) === base.wire.charCodeAt(prefix)) prefix++;
  let suffix = 0;
  while (
    suffix < most - prefix &&
    wire.charCodeAt(wire.length - 1 - suffix) === base.wire.charCodeAt(base.wire.length - 1 - suffix)
  )
    suffix++;
  if (prefix + suffix < wire.length * SAVED) return row;
  const between = wire.slice(prefix, wire.length - suffix);
  // Half of a pair of surrogates can't be stored alone.
  if (!between.isWellFormed()) return row;
  return { ...row, base: base.hash, prefix, suffix, wire: between };
}

/** A text of its own, whole. */
export function* readBody(hash: string): Script<string | undefined> {
  if (!standsApart(hash)) return hash.slice(OWN_NAME_SIGN.length);
  const found = yield* firstRow<
    Pick<BodyRow, "wire" | "prefix" | "suffix"> & { readonly whole: string | null }
  >(
    `select b.wire, b.prefix, b.suffix, base.wire as whole from precis_bodies b
     left join precis_bodies base on base.hash = b.base where b.hash = ?`,
    hash,
  );
  if (!found) return undefined;
  const { wire, prefix, suffix, whole } = found;
  if (whole === null) return wire;
  return whole.slice(0, prefix) + wire + whole.slice(whole.length - suffix);
}

/** Texts that one statement looks at. */
const AT_ONCE = 200;

/**
 * True of a text that nothing stands on. What is added meanwhile holds its text by a foreign key, and the loser tries again.
 * By the first name of the index that isn't before it: where most conversations have one head, PostgreSQL would rather look
 * through all of them for another one than use the index.
 */
const IS_UNUSED = [
  ["precis_nodes", "body"],
  ["precis_uses", "body"],
  ["precis_bodies", "base"],
]
  .map(
    ([table, name]) => `(select o.${name} from ${table} o where o.${name} >= precis_bodies.hash
       order by o.${name} limit 1) is distinct from precis_bodies.hash`,
  )
  .join(" and ");

/** Removes those of these texts that nothing stands on, and then the bases of which they were differences. */
export function* deleteUnused(
  { isOneOf, rowsOf }: Pick<SqlEngine, "isOneOf" | "rowsOf">,
  hashes: readonly string[],
): Script<void> {
  for (let left = hashes; left.length > 0; ) {
    const bases: string[] = [];
    for (const batch of inBatches([...left].sort(), AT_ONCE)) {
      const gone = yield* rows<{ readonly base: string | null }>(
        `delete from precis_bodies where ${isOneOf("hash")} and ${IS_UNUSED} returning base`,
        rowsOf.value(batch),
      );
      bases.push(...gone.flatMap(({ base }) => base ?? []));
    }
    left = [...new Set(bases)];
  }
}

/** A text that nothing stands on is kept for so long: an append may be about to use it (milliseconds). */
const GRACE_MS = 60_000;

/** Removes some texts that nothing stands on, from a name on; says where to go on, and undefined at the end. */
export function* collectBodies(
  after: string,
  now: number,
): Script<{ readonly after: string | undefined; readonly removed: number }> {
  const found = yield* rows<{ readonly hash: string }>(
    `select hash from precis_bodies where hash > ? order by hash limit ${AT_ONCE}`,
    after,
  );
  const last = found.at(-1)?.hash;
  if (last === undefined) return { after: undefined, removed: 0 };
  const gone = yield* rows(
    `delete from precis_bodies where hash > ? and hash <= ? and at < ? and ${IS_UNUSED} returning hash`,
    after,
    last,
    now - GRACE_MS,
  );
  return { after: found.length < AT_ONCE ? undefined : last, removed: gone.length };
}

/**
 * System prompts and fields of requests are used by thousands of conversations, and so it is written down for blocks of so many
 * whether one of them uses a text: three indexes of conversations and requests by these texts took a fourth of the pages that an
 * append changed.
 */
const CONVERSATIONS_PER_BLOCK = 64;
const NODES_PER_BLOCK = CONVERSATIONS_PER_BLOCK * NODES_PER_CONVERSATION;

/** A text that some conversation of a block, or one of its requests, has. */
interface UseRow {
  readonly body: string;
  readonly block: number;
}

export const useBy = (key: number, body: string): UseRow => ({
  body,
  block: Math.floor(key / CONVERSATIONS_PER_BLOCK),
});

const insertUses = insertInto<UseRow>("precis_uses", ["body", "block"], "on conflict do nothing");

/** A system prompt, or the fields of a request, and the key of the conversation that has it. */
export interface UsedText {
  readonly key: number;
  readonly text: BodyRow;
}

/** Stores texts and that they are used, beside texts of messages. Nobody takes a use back until the transaction ends. */
export function* useTexts(
  { lockRows }: Pick<SqlEngine, "lockRows">,
  given: readonly UsedText[],
  more: Iterable<BodyRow> = [],
): Script<void> {
  const apart = given.filter(({ text }) => standsApart(text.hash));
  const bodies = new Map<string, BodyRow>();
  for (const one of more) bodies.set(one.hash, one);
  const uses = new Map<string, UseRow>();
  for (const { key, text } of apart) {
    if (!bodies.has(text.hash)) bodies.set(text.hash, text);
    const use = useBy(key, text.hash);
    uses.set(`${use.body} ${use.block}`, use);
  }
  // Bases of heads come before what is made of them; otherwise in one order, so that two servers never wait for each other.
  yield* insertBodies(
    [...bodies.values()].sort(
      (a, b) => Number(a.base !== null) - Number(b.base !== null) || (a.hash < b.hash ? -1 : 1),
    ),
  );
  const inOrder = [...uses.values()].sort((a, b) =>
    a.body < b.body ? -1 : a.body > b.body ? 1 : a.block - b.block,
  );
  for (let left = inOrder; left.length > 0; ) {
    yield* insertUses(left);
    if (!lockRows) return;
    const missing: UseRow[] = [];
    for (const one of left) {
      const held = yield* rows(
        "select 1 from precis_uses where body = ? and block = ? for key share",
        one.body,
        one.block,
      );
      if (held.length === 0) missing.push(one);
    }
    left = missing;
  }
}

/** True of a use that no conversation of the block has any more. */
const IS_OVER = `not exists (select 1 from precis_conversations c where c.head = precis_uses.body
    and c.key >= precis_uses.block * ${CONVERSATIONS_PER_BLOCK} and c.key < (precis_uses.block + 1) * ${CONVERSATIONS_PER_BLOCK})
  and not exists (select 1 from precis_requests r where (r.head = precis_uses.body or r.fields = precis_uses.body)
    and r.node >= precis_uses.block * ${NODES_PER_BLOCK} and r.node < (precis_uses.block + 1) * ${NODES_PER_BLOCK})`;

/** Texts that a conversation had and has no more. In two statements: the second sees what those did that the first waited for. */
export function* releaseUses(
  { lockRows, isOneOf, rowsOf }: Pick<SqlEngine, "lockRows" | "isOneOf" | "rowsOf">,
  key: number,
  hashes: readonly string[],
): Script<void> {
  if (hashes.length === 0) return;
  const { block } = useBy(key, "");
  const which = `block = ? and ${isOneOf("body")}`;
  const values = [block, rowsOf.value(hashes)];
  if (lockRows) yield* rows(`select 1 from precis_uses where ${which} order by body for update`, ...values);
  yield* rows(`delete from precis_uses where ${which} and ${IS_OVER}`, ...values);
}

/** Uses that one statement looks at. */
const USES_AT_ONCE = 50;

/** Removes some uses that are over, behind a place; says where to go on, and undefined at the end. */
export function* collectUses(
  { lockRows }: Pick<SqlEngine, "lockRows">,
  after: UseRow,
): Script<UseRow | undefined> {
  const found = yield* rows<UseRow>(
    `select body, block from precis_uses where (body, block) > (?, ?) order by body, block limit ${USES_AT_ONCE}
     ${lockRows ? "for update" : ""}`,
    after.body,
    after.block,
  );
  const end = found.at(-1);
  if (end === undefined) return undefined;
  yield* rows(
    `delete from precis_uses where (body, block) > (?, ?) and (body, block) <= (?, ?) and ${IS_OVER}`,
    after.body,
    after.block,
    end.body,
    end.block,
  );
  return found.length < USES_AT_ONCE ? undefined : end;
}
