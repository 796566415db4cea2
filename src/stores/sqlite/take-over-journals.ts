import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AppendCall } from "../shared/plan-append.ts";
import { append } from "../sql/append.ts";
import { rows, type Script } from "../sql/script.ts";
import type { RunScript } from "../sql/sql-engine.ts";
import { explainSqlite } from "./explain.ts";
import { readRecord } from "./journal-record.ts";
import { sqliteTextIndex } from "./text-index.ts";

/** Appends that one transaction takes. */
const APPENDS_AT_ONCE = 500;
const JOURNAL = ".journal";
/** How far a journal is in the tables stands beside it, under this and its name. */
const KEY = "journal/";
const PRIVATE = 0o600;

/**
 * Version 0.1 wrote appends into journals beside the file first. What such a process left when it was killed is taken into
 * the tables, each append once, however many processes begin to do so: how far each journal is changes with the same commit.
 */
export async function takeOverJournals({
  path,
  run,
}: {
  readonly path: string;
  readonly run: RunScript;
}): Promise<void> {
  const folder = `${path}-journals`;
  if (!existsSync(folder)) return;
  // Their names begin with a number, or with the time.
  const names = filesIn(folder)
    .filter((name) => name.endsWith(JOURNAL))
    .sort();
  for (const name of names) await takeOver(folder, name, run);
  await run(() => forgetOffsets(folder));
  // What was set aside is for a person to look at.
  if (filesIn(folder).length === 0) rmSync(folder, { recursive: true, force: true });
}

/** None if another process has taken all of them over and removed the folder. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

interface Journal {
  readonly folder: string;
  readonly name: string;
  readonly bytes: Buffer;
}

async function takeOver(folder: string, name: string, run: RunScript): Promise<void> {
  const file = join(folder, name);
  const bytes = readIfThere(file);
  // Another process has taken all of it over.
  if (!bytes) return;
  const journal = { folder, name, bytes };
  for (;;) {
    const rest = await run(() => appendSome(journal, APPENDS_AT_ONCE)).catch((error: unknown) => {
      if (isPassing(error)) throw error;
      return setOneAside(journal, run);
    });
    if (rest === "more") continue;
    if (rest === "damaged" && existsSync(file)) {
      renameSync(file, `${file}.damaged`);
      process.emitWarning(`precis: the end of ${file} can't be read and was set aside as ${file}.damaged.`);
    } else rmSync(file, { force: true });
    return;
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** One of the appends can't be stored. Those before it can, and that one is kept. */
async function setOneAside(journal: Journal, run: RunScript): Promise<Rest> {
  try {
    return await run(() => appendSome(journal, 1));
  } catch (error) {
    if (isPassing(error)) throw error;
    const { folder, name } = journal;
    const refused = await run(() => passOver(journal));
    const file = join(folder, `${name}-${refused?.id}.refused.json`);
    writeFileSync(file, JSON.stringify(refused), { mode: PRIVATE });
    process.emitWarning(`precis: an append can't be stored and was set aside as ${file}: ${String(error)}`);
    return "more";
  }
}

/** The disk is full, another process is at work: it isn't the append's fault. */
function isPassing(error: unknown): boolean {
  return explainSqlite(error, "") !== undefined;
}

/** What is left of a journal: more appends; nothing, or half a one; or something that no process wrote. */
type Rest = "more" | "nothing" | "damaged";

function* appendSome({ folder, name, bytes }: Journal, most: number): Script<Rest> {
  // Another process has taken all of it over, and may have forgotten how far it was.
  if (!existsSync(join(folder, name))) return "nothing";
  let offset = yield* offsetOf(name);
  let rest: Rest = "more";
  for (let count = 0; count < most && rest === "more"; count++) {
    const record = readRecord(bytes, offset);
    if (typeof record === "string") rest = record === "damaged" ? "damaged" : "nothing";
    else {
      yield* appendWhereItBelongs(record.call);
      offset = record.end;
    }
  }
  yield* saveOffset(name, offset);
  return rest;
}

function* passOver({ name, bytes }: Journal): Script<AppendCall | undefined> {
  const record = readRecord(bytes, yield* offsetOf(name));
  if (typeof record === "string") return undefined;
  yield* saveOffset(name, record.end);
  return record.call;
}

/** Whatever became of the conversation meanwhile, the messages find a place. */
function* appendWhereItBelongs({ tenant, id, input }: AppendCall): Script<void> {
  const { conversation, after, ...rest } = input;
  const holders = after === undefined ? [] : yield* holdersOf(tenant, after);
  const holder = holders.find((one) => one === conversation) ?? holders[0];
  const isThere = after === undefined && conversation !== undefined && (yield* exists(tenant, conversation));
  const place =
    holder !== undefined && after !== undefined
      ? { conversation: holder, after }
      : isThere
        ? { conversation }
        : { isNew: true as const };
  yield* append({ textIndex: sqliteTextIndex }, { tenant, id, input: { ...rest, ...place } });
}

/** Conversations that hold a message, those first that end with it. */
function* holdersOf(tenant: string, hash: string): Script<string[]> {
  const found = yield* rows<{ id: string }>(
    `select c.id from precis_messages m join precis_conversations c on c.tenant = m.tenant and c.id = m.conversation
     where m.tenant = ? and m.hash = ?
     order by case when c.length = m.position + 1 then 0 else 1 end, c.updated_at desc, c.id desc`,
    tenant,
    hash,
  );
  return found.map((row) => row.id);
}

function* exists(tenant: string, id: string): Script<boolean> {
  const found = yield* rows("select id from precis_conversations where tenant = ? and id = ?", tenant, id);
  return found.length > 0;
}

function* offsetOf(name: string): Script<number> {
  const [noted] = yield* rows<{ value: string }>("select value from precis_meta where key = ?", KEY + name);
  return Number(noted?.value ?? 0);
}

function* saveOffset(name: string, offset: number): Script<void> {
  yield* rows(
    "insert into precis_meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value",
    KEY + name,
    String(offset),
  );
}

/** Of journals that are gone: one that is still there may be taken over by another process right now. */
function* forgetOffsets(folder: string): Script<void> {
  const noted = yield* rows<{ key: string }>("select key from precis_meta where key like ?", `${KEY}%`);
  for (const { key } of noted)
    if (!existsSync(join(folder, key.slice(KEY.length))))
      yield* rows("delete from precis_meta where key = ?", key);
}
