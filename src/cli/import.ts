import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { PrecisError, TranscriptError } from "../core/errors.ts";
import { createLogReader, type TranscriptLog } from "../dialects/logs/index.ts";
import type { Conversation, ConversationStore } from "../stores/server-store.ts";
import { formatCount } from "./format.ts";
import { OPENCODE_DATABASE, withOpencodeSessions } from "./import/opencode-database.ts";
import { type Outcome, outcomeText } from "./import/outcome.ts";
import { UnreadableLog } from "./import/unreadable-log.ts";
import type { Io } from "./io.ts";
import { DATABASE_FLAGS, DEFAULT_TENANT, withDatabase } from "./open-database.ts";
import type { CommandLine, ParsedFlags } from "./parse-flags.ts";
import { createProgress } from "./progress.ts";
import { checkReadable, FileError, readLines } from "./read-lines.ts";
import { UsageError } from "./usage-error.ts";

export const importLine: CommandLine = {
  name: "import",
  summary: "Takes logs and exports of other programs into the database, a folder at a time.",
  usage: "precis import FILE|FOLDER… [flags]",
  flags: {
    ...DATABASE_FLAGS,
    json: { help: "print what was done as JSON" },
  },
  notes: [
    "A FOLDER is searched for .json and .jsonl files, plain or gzip, and for the database of opencode, with all folders in it. What is no conversation is passed over; one that can't be read is named with its line, and the others are imported. Each session of a database counts as a file.",
    "A second run reads only files that have changed, and adds only messages that are new. One that was interrupted goes on where it stopped.",
    "precis recall and precis mcp then find what was said there.",
  ],
  examples: [
    "precis import ~/.claude/projects",
    "precis import ~/.codex/sessions ~/.pi/agent/sessions --db precis.db",
    "precis import ~/.local/share/opencode",
    "precis import conversations.json",
  ],
};

/** What is imported at a time: a file, or a session of a database. */
interface Source {
  /** Names it, so that it is known again at the next import. */
  readonly file: string;
  readonly bytes: number;
  /** In milliseconds. */
  readonly modified: number;
  read(): Promise<readonly TranscriptLog[]>;
}

const LOG_FILE = /\.jsonl?(?:\.gz)?$/i;
/** Conversations on one page of the list of what is there. */
const PAGE = 500;

export async function importCommand(flags: ParsedFlags, io: Io): Promise<void> {
  if (flags.files.length === 0) throw new UsageError("precis import needs a FILE or a FOLDER.");
  // Before the database: a name that is wrong would leave an empty one behind.
  const files = [...new Set((await Promise.all(flags.files.map(filesAt))).flat())];
  const tenant = flags.value("tenant") ?? DEFAULT_TENANT;
  const progress = createProgress(io, { json: flags.has("json") });
  const outcome: Outcome = {
    read: 0,
    unchanged: 0,
    passedOver: [],
    unreadable: [],
    warnings: [],
    conversations: 0,
    messages: 0,
  };
  await withDatabase(flags, io, { create: true }, async (store, database, config) => {
    const { importedFiles, importLog, makeSearchable, markImported } = await import(
      "../gateway/conversation/import-log.ts"
    );
    const parts = { config, store, now: () => Date.now() };
    const known = importedFiles(await allOf(store.conversations, tenant));
    const take = async ({ file, bytes, modified, read }: Source): Promise<void> => {
      io.signal.throwIfAborted();
      const before = known.get(file);
      if (before?.bytes === bytes && before.modified === modified) {
        outcome.unchanged++;
        return;
      }
      const logs = await orPassedOver(file, read);
      if (!logs) return;
      outcome.read++;
      const ids: string[] = [];
      let isWhole = true;
      for (const [at, log] of logs.entries()) {
        io.signal.throwIfAborted();
        const from = { file, isOnly: logs.length === 1 };
        const name = logs.length === 1 ? file : `${file} (conversation ${at + 1} of ${logs.length})`;
        const imported = await orPassedOver(name, () =>
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
    };
    const orPassedOver = async <T>(file: string, work: () => Promise<T>): Promise<T | undefined> => {
      try {
        return await work();
      } catch (error) {
        // Anything else, such as a full disk, is no fault of the file.
        if (!(error instanceof TranscriptError || error instanceof FileError)) throw error;
        const list = error instanceof UnreadableLog ? outcome.unreadable : outcome.passedOver;
        list.push({ file, reason: reasonOf(error) });
        return undefined;
      }
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
      await orPassedOver(file, () =>
        withOpencodeSessions(file, async (sessions) => {
          for (const [at, { id, updated, read }] of sessions.entries()) {
            show(`, session ${formatCount(at + 1)} of ${formatCount(sessions.length)}`, at / sessions.length);
            await take({ file: `${file}#${id}`, bytes: 0, modified: updated, read: async () => read() });
          }
        }),
      );
    }
    progress.clear();
    if (flags.has("json")) io.stdout.write(`${JSON.stringify({ database, ...outcome })}\n`);
    else io.stdout.write(outcomeText(outcome, database));
  });
  const [broken] = outcome.unreadable;
  // A database is one file with many sessions: one that nothing was said in is no failure of the others.
  const isNothing = files.length === 1 && outcome.read + outcome.unchanged === 0;
  const named = broken ?? (isNothing ? outcome.passedOver[0] : undefined);
  if (!named) return;
  const more = outcome.unreadable.length - 1;
  const others = more > 0 ? ` ${formatCount(more)} more can't be read, either.` : "";
  throw new FileError(`${named.file}: ${named.reason}${others}`);
}

/** The file, or all logs in a folder, by their full names: these tell them again at the next import. */
async function filesAt(path: string): Promise<string[]> {
  const full = resolve(path);
  const isFolder = await stat(full).then(
    (info) => info.isDirectory(),
    () => false,
  );
  if (!isFolder) {
    await checkReadable(full);
    return [full];
  }
  const inside = await readdir(full, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of inside) {
    const { name, parentPath } = entry;
    if (!LOG_FILE.test(name) && !OPENCODE_DATABASE.test(name)) continue;
    const file = join(parentPath, name);
    if (entry.isFile() || (entry.isSymbolicLink() && (await leadsToFile(file)))) found.push(file);
  }
  return found.sort();
}

const leadsToFile = (link: string): Promise<boolean> =>
  stat(link).then(
    (info) => info.isFile(),
    () => false,
  );

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
