import { stat } from "node:fs/promises";
import { createLogReader, type TranscriptLog } from "../../apis/logs/index.ts";
import { PrecisError, TranscriptError } from "../../core/errors.ts";
import {
  importedFiles,
  importLog,
  makeSearchable,
  markImported,
  type Writing,
} from "../../gateway/conversation/store-messages.ts";
import type { Conversation, ConversationStore } from "../../stores/server-store.ts";
import { formatCount } from "../format.ts";
import type { Io, Progress } from "../io.ts";
import { FileError, readLines } from "../read-lines.ts";
import { OPENCODE_DATABASE, withOpencodeSessions } from "./opencode-database.ts";
import { type Outcome, UnreadableLog } from "./outcome.ts";

/** What is imported at a time: a file, or a session of a database. */
interface Source {
  /** Names it, so that it is known again at the next import. */
  readonly file: string;
  readonly bytes: number;
  /** In milliseconds. */
  readonly modified: number;
  read(): Promise<readonly TranscriptLog[]>;
}

interface Import extends Writing {
  readonly tenant: string;
  readonly io: Io;
  readonly progress: Progress;
}

/** Conversations on one page of the list of what is there. */
const PAGE = 500;

/** Imports files, databases of opencode among them. What can't be read is named, and the others are imported. */
export async function importFiles(files: readonly string[], parts: Import): Promise<Outcome> {
  const { store, tenant, io, progress } = parts;
  const known = importedFiles(await allOf(store.conversations, tenant));
  const outcome: Outcome = {
    read: 0,
    unchanged: 0,
    passedOver: [],
    unreadable: [],
    warnings: [],
    conversations: 0,
    messages: 0,
  };
  const take = async (source: Source): Promise<void> => {
    io.signal.throwIfAborted();
    const before = known.get(source.file);
    if (before?.bytes === source.bytes && before.modified === source.modified) outcome.unchanged++;
    else await importSource(source, outcome, parts);
  };
  for (const [done, file] of files.entries()) {
    const show = (words: string, share = 0): void =>
      progress.update(
        `importing ${formatCount(done + 1)} of ${formatCount(files.length)} files${words}`,
        done + share,
        files.length,
      );
    show("");
    if (!OPENCODE_DATABASE.test(file)) {
      const { size: bytes, mtimeMs: modified } = await stat(file);
      await take({ file, bytes, modified, read: () => logsIn(file, io) });
      continue;
    }
    await orPassedOver(file, outcome, () =>
      withOpencodeSessions(file, async ({ sessions, warnings }) => {
        outcome.warnings.push(...warnings.map((warning) => ({ file, warning })));
        for (const [at, { id, updated, read }] of sessions.entries()) {
          show(`, session ${formatCount(at + 1)} of ${formatCount(sessions.length)}`, at / sessions.length);
          await take({ file: `${file}#${id}`, bytes: 0, modified: updated, read: async () => read() });
        }
      }),
    );
  }
  return outcome;
}

/** Imports the conversations of a file that is new or has changed. */
async function importSource(
  { file, bytes, modified, read }: Source,
  outcome: Outcome,
  parts: Import,
): Promise<void> {
  const { store, tenant, io } = parts;
  const logs = await orPassedOver(file, outcome, read);
  if (!logs) return;
  outcome.read++;
  const ids: string[] = [];
  let isWhole = true;
  for (const [at, log] of logs.entries()) {
    io.signal.throwIfAborted();
    const from = { file, isOnly: logs.length === 1 };
    const name = logs.length === 1 ? file : `${file} (conversation ${at + 1} of ${logs.length})`;
    const imported = await orPassedOver(name, outcome, () =>
      orUnreadable(() => importLog(parts, tenant, log, from)),
    );
    if (!imported) {
      isWhole = false;
      continue;
    }
    const { conversation, added, warnings } = imported;
    outcome.warnings.push(...warnings.map((warning) => ({ file: name, warning })));
    if (conversation !== undefined) ids.push(conversation);
    if (added > 0) outcome.conversations++;
    outcome.messages += added;
  }
  await makeSearchable(store, tenant);
  // A file of which something is missing is read again the next time, and named again.
  if (isWhole) await markImported(parts, tenant, ids, { file, bytes, modified });
}

/** Notes a file that holds no conversation, or one that can't be read. */
async function orPassedOver<T>(
  file: string,
  outcome: Outcome,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    // Anything else, such as a full disk, is no fault of the file.
    if (!(error instanceof TranscriptError || error instanceof FileError)) throw error;
    const list = error instanceof UnreadableLog ? outcome.unreadable : outcome.passedOver;
    list.push({ file, reason: reasonOf(error) });
    return undefined;
  }
}

/** Messages that were found and that their dialect can't read. */
async function orUnreadable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TranscriptError ? new UnreadableLog(reasonOf(error), { cause: error }) : error;
  }
}

async function logsIn(file: string, io: Io) {
  const reader = createLogReader({ name: file });
  try {
    for await (const line of readLines(file, io, () => {})) reader.push(line);
    return reader.endAll();
  } catch (error) {
    const isUnreadable = error instanceof FileError || (error instanceof PrecisError && reader.isDamaged());
    throw isUnreadable ? new UnreadableLog(reasonOf(error), { cause: error }) : error;
  }
}

/** What is wrong with a file, for whoever imports it: a format can't be named here. */
function reasonOf(error: FileError | PrecisError): string {
  const message = error.message.replace(/^precis: /, "");
  if (!(error instanceof PrecisError) || !error.fix.includes("--dialect")) return message;
  return message.replace(error.fix, "Check that this is the right file.");
}

async function allOf(store: Pick<ConversationStore, "list">, tenant: string): Promise<Conversation[]> {
  const all: Conversation[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list(tenant, {
      limit: PAGE,
      archived: "all",
      ...(cursor !== undefined && { cursor }),
    });
    all.push(...page.conversations);
    cursor = page.next;
  } while (cursor !== undefined);
  return all;
}
