import type { AnswerSizes, Checkpoint, Recalled, Records, Store, Summary, Undo } from "../../core/types.ts";
import { checkName } from "../shared/texts.ts";
import { HASHES_PER_STATEMENT, inBatches, rows, type Script } from "./script.ts";
import type { SqlContext } from "./sql-context.ts";
import type { SqlEngine } from "./sql-engine.ts";
import { hasHash, keyOfNode, type NodeRow, nodesOf, numberOfNode } from "./tree.ts";

/** `answer`: another id of the answer that ends with the message, beside the one that stands there. Nobody asks for it by its hash. */
export type RecordKind = "checkpoint" | "summary" | "undo" | "answers" | "recalled" | "answer";

/** A record as the table holds it, but for the message that it stands on. */
export interface RecordRow {
  readonly tenant: string;
  readonly kind: RecordKind;
  readonly key: string;
  /** The chain hash of the message that it stands on. */
  readonly hash: string;
  readonly saved_at: number;
  readonly json: string;
}

interface Expected {
  requests: number;
  rows: RecordRow[];
}

/** Records that come before their messages: a view is made, and its checkpoint saved, while the request isn't stored yet. */
export type EarlyRecords = ReturnType<typeof createEarlyRecords>;

export function createEarlyRecords() {
  const expected = new Map<string, Expected>();
  let kept = 0;
  const nameOf = (tenant: string, hash: string): string => `${tenant} ${hash}`;
  return {
    /** A request with these messages is under way: their records may come early. Returns what ends that. */
    expect(tenant: string, hashes: readonly string[]): () => void {
      const names = hashes.map((hash) => nameOf(tenant, hash));
      for (const name of names) {
        const one = expected.get(name);
        if (one) one.requests++;
        else expected.set(name, { requests: 1, rows: [] });
      }
      let isOver = false;
      return () => {
        for (const name of isOver ? [] : names) {
          const one = expected.get(name);
          if (!one || --one.requests > 0) continue;
          expected.delete(name);
          kept -= one.rows.length;
        }
        isOver = true;
      };
    },
    /** Keeps a record until its message is stored, if that is expected. */
    keep(row: RecordRow): void {
      const one = expected.get(nameOf(row.tenant, row.hash));
      if (!one) return;
      const isSame = ({ kind, key }: RecordRow) => kind === row.kind && key === row.key;
      const others = one.rows.filter((other) => !isSame(other));
      kept += others.length + 1 - one.rows.length;
      one.rows = [...others, row];
    },
    /** Is any kept? Mostly none is. */
    get hasSome(): boolean {
      return kept > 0;
    },
    find: (tenant: string, hashes: readonly string[]): readonly RecordRow[] =>
      kept === 0
        ? []
        : [...new Set(hashes)].flatMap((hash) => expected.get(nameOf(tenant, hash))?.rows ?? []),
    /** Puts those of messages that are being added into the table. */
    *add(tenant: string, nodes: readonly Pick<NodeRow, "id" | "hash">[]): Script<void> {
      for (const { id, hash } of nodes)
        for (const row of expected.get(nameOf(tenant, hash))?.rows ?? []) yield* insertRecord(row, id);
    },
  };
}

/**
 * The engine's store of a tenant. With `strict`, records stand on messages that are stored or about to be: what comes late for a
 * deleted conversation is refused.
 */
export function sqlRecords(
  { engine, now, read, write, early }: SqlContext,
  tenant: string,
  { strict }: { readonly strict: boolean },
): Store {
  checkName("records", "tenant", tenant);
  return {
    find: (hashes) => read("find", () => findRecords(engine, tenant, hashes, early)),

    save: ({ checkpoints = [], summaries = [], undos = [], answers = [], recalled = [] }) =>
      write("save", function* () {
        const saved_at = now();
        const row = (kind: RecordKind, key: string, hash: string, record: object): RecordRow => ({
          tenant,
          kind,
          key,
          hash,
          saved_at,
          json: JSON.stringify(record),
        });
        const given = [
          ...checkpoints.map((one) => row("checkpoint", one.id, one.hash, one)),
          ...summaries.map((one) => row("summary", one.key, one.hash, one)),
          ...answers.map((one) => row("answers", `${one.hash} ${one.model}`, one.hash, one)),
          ...recalled.map((one) => row("recalled", `${one.checkpoint} ${one.hash}`, one.hash, one)),
        ];
        for (const undo of undos) {
          const [checkpoint] = yield* rows<{ readonly hash: string }>(
            "select hash from precis_records where tenant = ? and kind = 'checkpoint' and key = ?",
            tenant,
            undo.checkpoint,
          );
          if (checkpoint ?? !strict) given.push(row("undo", undo.checkpoint, checkpoint?.hash ?? "", undo));
        }
        for (const one of given) {
          const nodes = yield* nodesWith(tenant, one.hash);
          if (nodes.length === 0 && strict) {
            early.keep(one);
            continue;
          }
          yield* rows(
            "delete from precis_records where tenant = ? and kind = ? and key = ?",
            tenant,
            one.kind,
            one.key,
          );
          if (nodes.length === 0) yield* insertRecord(one, null);
          for (const node of nodes) yield* insertRecord(one, node);
        }
      }),
  };
}

/** The nodes of a message, in all conversations of a tenant that hold it. */
export function* nodesWith(tenant: string, hash: string): Script<number[]> {
  const found = yield* rows<Pick<NodeRow, "id">>(
    `select n.id from precis_nodes n join precis_conversations c on c.key = ${keyOfNode("n.id")}
     where ${hasHash("?", "n.")} and c.tenant = ?`,
    hash,
    hash,
    tenant,
  );
  return found.map(({ id }) => id);
}

/** Ids of answers beside those that stand with their messages, by the number of the message. */
export function* otherAnswers(key: number): Script<ReadonlyMap<number, readonly string[]>> {
  const found = yield* rows<{ readonly node: number; readonly key: string }>(
    "select node, key from precis_records where kind = 'answer' and node >= ? and node < ? order by node, key",
    ...nodesOf(key),
  );
  const answers = new Map<number, string[]>();
  for (const { node, key: answer } of found) {
    const n = numberOfNode(node);
    answers.set(n, [...(answers.get(n) ?? []), answer]);
  }
  return answers;
}

export function* insertRecord(row: RecordRow, node: number | null): Script<void> {
  const { tenant, kind, key, hash, saved_at, json } = row;
  yield* rows(
    "insert into precis_records (tenant, kind, key, hash, node, saved_at, json) values (?, ?, ?, ?, ?, ?, ?)",
    tenant,
    kind,
    key,
    hash,
    node,
    saved_at,
    json,
  );
}

/** Removes the summaries that end with one of these messages. */
export function* forgetSummaries(
  { isOneOf, rowsOf }: SqlEngine,
  tenant: string,
  hashes: readonly string[],
): Script<void> {
  for (const batch of inBatches(hashes, HASHES_PER_STATEMENT))
    yield* rows(
      `delete from precis_records where tenant = ? and kind = 'summary' and ${isOneOf("hash")}`,
      tenant,
      rowsOf.value(batch),
    );
}

/** In one statement, because every request waits for this. */
function* findRecords(
  { rowsOf }: SqlEngine,
  tenant: string,
  hashes: readonly string[],
  early: EarlyRecords,
): Script<Records> {
  if (hashes.length === 0) return { checkpoints: [], summaries: [], undos: [], recalled: [] };
  const stored = yield* rows<Pick<RecordRow, "kind" | "key" | "hash" | "json">>(
    `select precis_records.kind, precis_records.key, precis_records.hash, precis_records.json from ${rowsOf.from("precis_records", "hash")}`,
    rowsOf.value(hashes),
    tenant,
  );
  // Conversations that begin alike have each their own.
  const found = [
    ...new Map(
      [...stored, ...early.find(tenant, hashes)].map((row) => [`${row.kind} ${row.key}`, row]),
    ).values(),
  ];
  const of = <T>(kind: RecordKind): T[] =>
    found.filter((row) => row.kind === kind).map(({ json }) => JSON.parse(json) as T);
  // They stand on the first message.
  const answers = found
    .filter(({ kind, hash }) => kind === "answers" && hash === hashes[0])
    .map(({ json }) => JSON.parse(json) as AnswerSizes);
  return {
    checkpoints: of<Checkpoint>("checkpoint"),
    summaries: of<Summary>("summary"),
    undos: of<Undo>("undo"),
    ...(answers.length > 0 && { answers }),
    recalled: of<Recalled>("recalled"),
  };
}
