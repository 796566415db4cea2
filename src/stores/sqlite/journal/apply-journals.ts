import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { rows, type Script } from "../../sql/script.ts";
import { appendAll } from "./append-all.ts";
import { JOURNAL } from "./journal-file.ts";
import { type ReadRecord, readRecord } from "./journal-record.ts";

/** How far the journals are in the database, by name. */
export interface Applied {
  /** Bytes up to which each was read; behind them was nothing, or half a record. */
  readonly seen: ReadonlyMap<string, number>;
  /** Journals in which something stands that no process wrote so. */
  readonly damaged: readonly string[];
  /** Records that were passed over. */
  readonly refused: readonly ReadRecord[];
}

/** `one`: a single record, to find one that can't be stored; `refuse-one`: passes that one over. */
export type Mode = "one" | "refuse-one";

/** Records that one transaction takes: the more, the cheaper each; but whoever reads waits for all of them. */
const RECORDS_AT_ONCE = 4_000;
/** Bytes that are read of a journal at once, unless a single record is longer. */
const BYTES_AT_ONCE = 4 * 1_024 * 1_024;
/** Bytes of records that one transaction takes, or one record: all of them are in memory meanwhile. */
const BYTES_PER_TRANSACTION = 16 * 1_024 * 1_024;
/** How far a journal is in the database stands beside it, under this and its name. */
const KEY = "journal/";

/** The journals beside a database, oldest first. */
export function journalsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(JOURNAL))
      .sort();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

/**
 * Takes what the journals of all processes hold over into the tables, each record once: how far each journal is stands in
 * the database and changes with the same commit. Any process may do it, also for one that is gone.
 */
export function* applyJournals(folder: string, mode?: Mode): Script<Applied> {
  const atMost = mode ? 1 : RECORDS_AT_ONCE;
  const names = journalsIn(folder);
  const offsets = yield* offsetsOf(names);
  const records: ReadRecord[] = [];
  const seen = new Map<string, number>();
  const damaged: string[] = [];
  let bytes = 0;
  for (const name of names) {
    const from = offsets.get(name) ?? 0;
    const room = { records: atMost - records.length, bytes: BYTES_PER_TRANSACTION - bytes };
    const read = readJournal(join(folder, name), from, room);
    bytes += read.end - from;
    records.push(...read.records);
    seen.set(name, read.isAll ? read.size : read.end);
    if (read.isDamaged) damaged.push(name);
    if (read.end > from) yield* saveOffset(name, read.end);
  }
  if (mode !== "refuse-one") yield* appendAll(records);
  return { seen, damaged, refused: mode === "refuse-one" ? records : [] };
}

interface ReadJournal {
  readonly records: readonly ReadRecord[];
  /** Where the first record begins that wasn't read. */
  readonly end: number;
  readonly size: number;
  /** Nothing is left, but for half a record. */
  readonly isAll: boolean;
  readonly isDamaged: boolean;
}

function readJournal(
  path: string,
  from: number,
  room: { readonly records: number; readonly bytes: number },
): ReadJournal {
  const records: ReadRecord[] = [];
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch {
    // Its owner removed it meanwhile, so all of it is in the database.
    return { records, end: from, size: from, isAll: true, isDamaged: false };
  }
  try {
    const { size } = fstatSync(descriptor);
    let end = from;
    for (let step = BYTES_AT_ONCE; end < size; ) {
      const bytes = Buffer.allocUnsafe(Math.min(step, size - end));
      const got = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, end));
      let at = 0;
      for (;;) {
        if (records.length === room.records || end + at - from >= room.bytes)
          return { records, end: end + at, size, isAll: false, isDamaged: false };
        const one = readRecord(got, at);
        if (one === "damaged") return { records, end: end + at, size, isAll: true, isDamaged: true };
        if (one === "unfinished") break;
        records.push(one);
        at = one.end;
      }
      if (at === 0 && end + got.length >= size) break;
      // One record longer than that: more is read at once.
      if (at === 0) step *= 2;
      end += at;
    }
    return { records, end, size, isAll: true, isDamaged: false };
  } finally {
    closeSync(descriptor);
  }
}

/** How far each journal is; what is noted of journals that are gone is forgotten. */
function* offsetsOf(names: readonly string[]): Script<Map<string, number>> {
  const offsets = new Map<string, number>();
  const noted = yield* rows<{ key: string; value: string }>(
    "select key, value from precis_meta where key >= ? and key < ?",
    KEY,
    `${KEY}\u{10ffff}`,
  );
  for (const { key, value } of noted) {
    const name = key.slice(KEY.length);
    if (names.includes(name)) offsets.set(name, Number(value));
    else yield* rows("delete from precis_meta where key = ?", key);
  }
  return offsets;
}

function* saveOffset(name: string, offset: number): Script<void> {
  yield* rows(
    "insert into precis_meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value",
    KEY + name,
    String(offset),
  );
}
