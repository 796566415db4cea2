import { contentHash } from "../../core/hash.ts";
import { firstRow, inBatches, rows, type Script } from "./script.ts";
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

/** A name of its own for each tenant: nobody can find out whether another one has the same text. */
export const bodyName = (tenant: string, wire: string): string => contentHash(`${tenant}\n${wire}`);

export function bodyRow(tenant: string, wire: string, at: number): BodyRow {
  return { hash: bodyName(tenant, wire), tenant, base: null, prefix: 0, suffix: 0, at, wire };
}

/** A head, as its difference to the one before where that is much shorter: some clients change a date in theirs with every request. */
export function* headRow(
  tenant: string,
  wire: string,
  { before, at }: { readonly before: string | null; readonly at: number },
): Script<BodyRow> {
  const row = bodyRow(tenant, wire, at);
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
  const found = yield* firstRow<{
    wire: string;
    prefix: number | string;
    suffix: number | string;
    whole: string | null;
  }>(
    `select b.wire, b.prefix, b.suffix, base.wire as whole from precis_bodies b
     left join precis_bodies base on base.hash = b.base where b.hash = ?`,
    hash,
  );
  if (!found) return undefined;
  const { wire, prefix, suffix, whole } = found;
  if (whole === null) return wire;
  return whole.slice(0, Number(prefix)) + wire + whole.slice(whole.length - Number(suffix));
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
  ["precis_conversations", "head"],
  ["precis_bodies", "base"],
  ["precis_requests", "head"],
  ["precis_requests", "fields"],
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
