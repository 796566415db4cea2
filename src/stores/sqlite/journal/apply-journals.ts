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
/** Bytes that are read of a journal at once, unless a single record is longer: few enough to be garbage soon. */
const BYTES_AT_ONCE = 1_024 * 1_024;
/** Bytes of records that one transaction takes, or one record. */
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
  const names = journalsIn(folder);
  const offsets = yield* offsetsOf(names);
  const refused: ReadRecord[] = [];
  const seen = new Map<string, number>();
  const damaged: string[] = [];
  const room = { records: mode ? 1 : RECORDS_AT_ONCE, bytes: BYTES_PER_TRANSACTION };
  for (const name of names) {
    const from = offsets.get(name) ?? 0;
    const pieces = readJournal(join(folder, name), from, room);
    let piece = pieces.next();
    for (; !piece.done; piece = pieces.next()) {
      if (mode === "refuse-one") refused.push(...piece.value);
      else yield* appendAll(piece.value);
    }
    const { end, size, isAll, isDamaged } = piece.value;
    seen.set(name, isAll ? size : end);
    if (isDamaged) damaged.push(name);
    if (end > from) yield* saveOffset(name, end);
  }
  return { seen, damaged, refused };
}

interface JournalEnd {
  /** Where the first record begins that wasn't read. */
  readonly end: number;
  readonly size: number;
  /** Nothing is left, but for half a record. */
  readonly isAll: boolean;
  readonly isDamaged: boolean;
}

/** What there is still room for. */
interface Room {
  records: number;
  bytes: number;
}

/**
 * The records of a journal from an offset on, some at a time, as long as there is room. Their bytes are overwritten by the
 * next ones: fresh memory for each piece would cost more than to read it.
 */
function* readJournal(path: string, from: number, room: Room): Generator<readonly ReadRecord[], JournalEnd> {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch {
    // Its owner removed it meanwhile, so all of it is in the database.
    return { end: from, size: from, isAll: true, isDamaged: false };
  }
  try {
    const { size } = fstatSync(descriptor);
    let end = from;
    let bytes = Buffer.allocUnsafeSlow(Math.min(BYTES_AT_ONCE, Math.max(0, size - end)));
    while (end < size) {
      const got = bytes.subarray(0, readSync(descriptor, bytes, 0, Math.min(bytes.length, size - end), end));
      const { records, length, stop } = recordsIn(got, room);
      end += length;
      if (records.length > 0) yield records;
      if (stop === "full") return { end, size, isAll: false, isDamaged: false };
      if (stop === "damaged") return { end, size, isAll: true, isDamaged: true };
      if (length === 0 && end + got.length >= size) break;
      // One record longer than that: more is read at once.
      if (length === 0) bytes = Buffer.allocUnsafeSlow(Math.min(2 * bytes.length, size - end));
    }
    return { end, size, isAll: true, isDamaged: false };
  } finally {
    closeSync(descriptor);
  }
}

/** The records that bytes begin with, and why there are no more of them. */
function recordsIn(
  bytes: Buffer,
  room: Room,
): {
  readonly records: ReadRecord[];
  readonly length: number;
  readonly stop: "full" | "damaged" | "unfinished";
} {
  const records: ReadRecord[] = [];
  let length = 0;
  for (;;) {
    if (room.records === 0 || room.bytes <= 0) return { records, length, stop: "full" };
    const one = readRecord(bytes, length);
    if (typeof one === "string") return { records, length, stop: one };
    records.push(one);
    room.records--;
    room.bytes -= one.end - length;
    length = one.end;
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
