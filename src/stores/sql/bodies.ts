import { contentHash } from "../../core/hash.ts";
import { firstRow, HASHES_PER_STATEMENT, inBatches, insertInto, rows, type Script } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";
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
  /**
   * How often something stopped using it since somebody looked who else does; below 0 if it came into use again after that. Only
   * what is above 0 may be unused.
   */
  readonly loose: number;
  readonly wire: string;
}

/** Does a text stand apart from its message? */
export function isLong(wire: string, messages: number): boolean {
  return wire.length > (messages > MANY ? LONG_AMONG_MANY : LONG);
}

const insertBodies = insertInto<BodyRow>(
  "precis_bodies",
  ["hash", "tenant", "base", "prefix", "suffix", "loose", "wire"],
  "on conflict (hash) do update set loose = -abs(precis_bodies.loose)",
);

/**
 * A system prompt or the fields of a request that are no longer than this are their own name, behind a sign that no hash begins
 * with: to find a place for them in a table costs more than to write them down each time (characters).
 */
const OWN_NAME = 200;
const OWN_NAME_SIGN = "=";

/** Does a text stand in the table under its name, and not in the name itself? */
const standsApart = (name: string): boolean => !name.startsWith(OWN_NAME_SIGN);

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
  // Never that of a message's text, which goes with its messages.
  const name = hashOf(tenant, `\n${wire}`);
  names = [{ tenant, wire, name }, ...names.slice(0, MAX_NAMES - 1)];
  return name;
}

export function bodyRow(tenant: string, wire: string, hash = hashOf(tenant, wire)): BodyRow {
  return { hash, tenant, base: null, prefix: 0, suffix: 0, loose: 0, wire };
}

/** A head, as its difference to the one before where that is much shorter: some clients change a date in theirs with every request. */
export function* headRow(tenant: string, wire: string, before: string | null): Script<BodyRow> {
  const row = bodyRow(tenant, wire, nameOfText(tenant, wire));
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

/**
 * Stores texts that aren't there yet. Nobody takes one away before the transaction ends: who collects unused ones waits for it, and
 * then sees that they came into use.
 */
export function* storeTexts(
  { isOneOf, lockRows, rowsOf }: Pick<SqlEngine, "isOneOf" | "lockRows" | "rowsOf">,
  given: readonly BodyRow[],
): Script<void> {
  const texts = new Map<string, BodyRow>();
  for (const one of given) if (standsApart(one.hash)) texts.set(one.hash, one);
  // Mostly they are there, and to bind all of a long text takes longer than to ask.
  for (const batch of inBatches([...texts.keys()], HASHES_PER_STATEMENT))
    for (const { hash } of yield* rows<{ readonly hash: string }>(
      `select hash from precis_bodies where ${isOneOf("hash")} and loose <= 0 ${lockRows ? "order by hash for share" : ""}`,
      rowsOf.value(batch),
    ))
      texts.delete(hash);
  // Bases of heads come before what is made of them; otherwise in one order, so that two servers never wait for each other.
  yield* insertBodies(
    [...texts.values()].sort(
      (a, b) => Number(a.base !== null) - Number(b.base !== null) || (a.hash < b.hash ? -1 : 1),
    ),
  );
}

/** Texts that one statement looks at. */
const AT_ONCE = 200;

/**
 * Removes those texts of messages that no message has any more; of others the next sweep finds out, because another server may be
 * deleting who has them. By the first name of the index that isn't before it: PostgreSQL would rather look through all messages.
 */
export function* deleteUnused(
  { isOneOf, rowsOf }: Pick<SqlEngine, "isOneOf" | "rowsOf">,
  hashes: readonly string[],
): Script<void> {
  for (const batch of inBatches([...hashes].sort(), AT_ONCE))
    yield* rows(
      `delete from precis_bodies where ${isOneOf("hash")} and (
         select n.body from precis_nodes n where n.body >= precis_bodies.hash order by n.body limit 1
       ) is distinct from precis_bodies.hash`,
      rowsOf.value(batch),
    );
  yield* loosen({ isOneOf, rowsOf }, hashes);
}

/**
 * Something stopped using these texts: the next sweep looks whether anything else does. Indexes of conversations
 * and requests by their heads and fields would say it at once, but were a fourth of the pages that an append changed.
 */
export function* loosen(
  { isOneOf, rowsOf }: Pick<SqlEngine, "isOneOf" | "rowsOf">,
  names: Iterable<string | null>,
): Script<void> {
  const apart = new Set([...names].filter((name) => name !== null && standsApart(name)) as string[]);
  for (const batch of inBatches([...apart].sort(), AT_ONCE))
    yield* rows(
      `update precis_bodies set loose = abs(loose) + 1 where ${isOneOf("hash")}`,
      rowsOf.value(batch),
    );
}

/** Loose texts that one pass of a sweep looks for, and the rows that one statement reads for that. */
const LOOSE_AT_ONCE = 10_000;
const ROWS_AT_ONCE = 2_000;

type Loose = Pick<BodyRow, "hash" | "tenant" | "loose"> & { readonly messages: number };

/**
 * Removes texts that nothing uses any more. All conversations and requests of a tenant are read for that, some at a time,
 * if something was deleted or came of age since, and not at all otherwise.
 */
export async function collectTexts({ engine, read, write }: SqlContext): Promise<void> {
  const { isOneOf, rowsOf } = engine;
  for (;;) {
    const found = await read("sweep", () =>
      rows<Loose>(
        `select hash, tenant, loose,
           (select count(*) from (select 1 from precis_nodes n where n.body = b.hash limit 1) one) as messages
         from precis_bodies b where loose > 0 and not exists (select 1 from precis_bodies o where o.base = b.hash) limit ${LOOSE_AT_ONCE}`,
      ),
    );
    if (found.length === 0) return;
    const unused = new Set(found.flatMap(({ hash, messages }) => (messages === 0 ? hash : [])));
    for (const [tenant, some] of Map.groupBy(found, (one) => one.tenant)) {
      const isLeft = () => some.some(({ hash }) => unused.has(hash));
      for (const [table, order] of [
        ["precis_conversations", "asc"],
        // The newest first: most of what is in use was used lately.
        ["precis_requests", "desc"],
      ] as const)
        for (let last: string | undefined; isLeft(); ) {
          const from = last;
          const named = await read("sweep", () => namesIn(table, order, tenant, from));
          for (const { head, fields } of named) for (const name of [head, fields]) unused.delete(name ?? "");
          if (named.length < ROWS_AT_ONCE) break;
          last = named.at(-1)!.id;
        }
    }
    // What came into use meanwhile, or was left once more, isn't what was looked at.
    for (const [loose, some] of Map.groupBy(found, (one) => one.loose))
      for (const batch of inBatches(some, AT_ONCE))
        await write("sweep", function* () {
          const of = (isUnused: boolean) =>
            rowsOf.value(batch.flatMap(({ hash }) => (unused.has(hash) === isUnused ? hash : [])));
          const gone = yield* rows<{ readonly base: string | null }>(
            `delete from precis_bodies where ${isOneOf("hash")} and loose = ? returning base`,
            of(true),
            loose,
          );
          yield* loosen(
            engine,
            gone.map(({ base }) => base),
          );
          yield* rows(
            `update precis_bodies set loose = -loose where ${isOneOf("hash")} and loose = ?`,
            of(false),
            loose,
          );
        });
  }
}

/** What conversations or requests behind an id name. */
const namesIn = (
  table: "precis_conversations" | "precis_requests",
  order: "asc" | "desc",
  tenant: string,
  last: string | undefined,
) =>
  rows<{ readonly id: string; readonly head: string | null; readonly fields: string | null }>(
    `select id, head, ${table === "precis_requests" ? "fields" : "null as fields"} from ${table}
     where tenant = ? ${last === undefined ? "" : `and id ${order === "asc" ? ">" : "<"} ?`} order by id ${order} limit ${ROWS_AT_ONCE}`,
    tenant,
    ...(last === undefined ? [] : [last]),
  );
