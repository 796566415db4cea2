import type { Appended } from "../server-store.ts";
import type { AppendCall } from "../shared/plan-append.ts";
import { deleteBody } from "../sql/delete-body.ts";
import type { Script } from "../sql/script.ts";
import { appendStatement, isPlain } from "./append-statement.ts";
import { runAndRelease } from "./run-script.ts";
import { connectTo, type PostgresPool, type StatementNames } from "./statement-names.ts";

/** Appends that one statement takes at most, */
const MAX_CALLS = 256;
/** and their characters. One that has more is taken alone. */
const MAX_CHARS = 4_000_000;
/** A statement that takes longer than this waits for something: another may start beside it (milliseconds), */
const STALLED_MS = 20;
/** up to so many. */
const MAX_UNDER_WAY = 3;
/** Classes of errors after which nothing is written and another try, one by one, tells whose fault it was. */
const RUN_ALONE = /^(?:22|23|40|54)/;

/** A conversation that the statement added to. */
interface Grown {
  readonly call: number;
  /** Messages that were there. */
  readonly shared: number;
  readonly length: number | string;
  /** The head that it left and that others had, if there is one. */
  readonly left_head?: string | null;
}

interface Waiting {
  readonly call: AppendCall;
  readonly chars: number;
  resolve(appended: Appended | undefined): void;
  reject(error: unknown): void;
}

/** Appends that come while a statement is under way are the next one, and share a commit; none is acknowledged before it. */
export function appendTogether(
  pool: PostgresPool,
  names: StatementNames | undefined,
): (call: AppendCall) => Promise<Appended | undefined> {
  const count = earlyStatistics(pool);
  let waiting: Waiting[] = [];
  let underWay = 0;
  let startedAt = 0;
  let isTimed = false;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled || waiting.length === 0) return;
    if (underWay > 0) {
      if (underWay >= MAX_UNDER_WAY) return;
      const rest = startedAt + STALLED_MS - performance.now();
      if (rest > 0) {
        if (isTimed) return;
        isTimed = true;
        setTimeout(() => {
          isTimed = false;
          schedule();
        }, rest);
        return;
      }
    }
    isScheduled = true;
    // Requests that arrived together are written together.
    setImmediate(() => {
      isScheduled = false;
      void run(take());
    });
  };

  /** The next ones, each conversation once. */
  const take = (): readonly Waiting[] => {
    const taken: Waiting[] = [];
    const left: Waiting[] = [];
    const conversations = new Set<string>();
    let chars = 0;
    for (const one of waiting) {
      const { tenant, input } = one.call;
      const conversation = input.conversation && JSON.stringify([tenant, input.conversation]);
      const isFull = taken.length >= MAX_CALLS || (taken.length > 0 && chars + one.chars > MAX_CHARS);
      if (isFull || (conversation !== undefined && conversations.has(conversation))) {
        left.push(one);
        continue;
      }
      if (conversation !== undefined) conversations.add(conversation);
      chars += one.chars;
      taken.push(one);
    }
    waiting = left;
    return taken;
  };

  const run = async (batch: readonly Waiting[]): Promise<void> => {
    underWay++;
    startedAt = performance.now();
    try {
      const grown = await write(batch.map(({ call }) => call));
      count(batch.length);
      batch.forEach(({ call, resolve }, index) => {
        resolve(outcome(call, grown.get(index)));
      });
    } catch (error) {
      for (const { resolve, reject } of batch) {
        if (isRunAlone(error)) resolve(undefined);
        else reject(error);
      }
    }
    underWay--;
    schedule();
  };

  const write = async (calls: readonly AppendCall[]): Promise<ReadonlyMap<number, Grown>> => {
    const { text, values } = appendStatement(calls);
    const client = await connectTo(pool);
    let broken: Error | undefined;
    let left: readonly Left[] = [];
    try {
      const { rows } = await client.query<Grown>({ text, name: names?.of(text), values });
      left = rows.flatMap(({ call, left_head: head }) =>
        head ? [{ tenant: calls[call]!.tenant, head }] : [],
      );
      return new Map(rows.map((grown) => [grown.call, grown]));
    } catch (error) {
      if (!isRunAlone(error)) broken = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      if (left.length === 0) client.release(broken);
      // What was appended doesn't wait for it, and is there whatever becomes of it.
      else runAndRelease(client, names, deleteLeft(left)).catch(() => {});
    }
  };

  return (call) => {
    if (!isPlain(call)) return Promise.resolve(undefined);
    const chars = call.input.messages.reduce((sum, { wire }) => sum + wire.length, 0);
    return new Promise((resolve, reject) => {
      waiting.push({ call, chars, resolve, reject });
      schedule();
    });
  };
}

/** A head that a conversation left to others. */
interface Left {
  readonly tenant: string;
  readonly head: string;
}

/** If the others have left it at the same time, nothing else knows of it. */
function* deleteLeft(left: readonly Left[]): Script<void> {
  const heads = new Map(left.map((one) => [`${one.tenant}\0${one.head}`, one]));
  for (const key of [...heads.keys()].sort()) {
    const { tenant, head } = heads.get(key)!;
    yield* deleteBody({ lockRows: true }, tenant, head);
  }
}

/** Undefined for a conversation that the statement left as it was. */
function outcome({ input, id }: AppendCall, grown: Grown | undefined): Appended | undefined {
  const { conversation, messages } = input;
  const forkOf = undefined;
  if (conversation === undefined)
    return { conversation: id, forkOf, added: messages.length, length: messages.length };
  return (
    grown && { conversation, forkOf, added: messages.length - grown.shared, length: Number(grown.length) }
  );
}

function isRunAlone(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && typeof error.code === "string" && RUN_ALONE.test(error.code)
  );
}

/**
 * A plan that a connection made while a table was empty or small reads all rows of a tenant for each one that it wants,
 * and PostgreSQL keeps it (its own plans for foreign keys, too) until somebody analyses the table. Autovacuum does so
 * within a minute or so; until then a server that is busy from its first moment on is slowed down by every row that it
 * adds. So while a database is young, its tables are analysed whenever they have doubled.
 */
const FIRST_LOOK_APPENDS = 64;
/** From here on every plan knows that the tables are large, and autovacuum is soon enough. */
const LAST_LOOK_APPENDS = 4_096;

/** Tables that have grown by half since their last statistics. */
const STALE_TABLES = `
select c.relname as name from pg_class c
where c.relkind = 'r' and c.relname = any($1::text[]) and pg_table_is_visible(c.oid)
  and pg_relation_size(c.oid) > 1.5 * c.relpages * current_setting('block_size')::int`;
const TABLES = ["precis_conversations", "precis_messages", "precis_bodies", "precis_tombstones"] as const;

/** Is told how many appends were written. Never fails: a user who may not analyse the tables leaves it to autovacuum. */
function earlyStatistics(pool: PostgresPool): (appended: number) => void {
  let appends = 0;
  let next = FIRST_LOOK_APPENDS;
  return (appended) => {
    appends += appended;
    if (appends < next || next > LAST_LOOK_APPENDS) return;
    next = 2 * appends;
    analyzeStale(pool).catch(() => {});
  };
}

async function analyzeStale(pool: PostgresPool): Promise<void> {
  const client = await connectTo(pool);
  try {
    const { rows } = await client.query<{ name: string }>({ text: STALE_TABLES, values: [TABLES] });
    for (const { name } of rows) await client.query({ text: `analyze (skip_locked) ${name}` });
  } finally {
    client.release();
  }
}
