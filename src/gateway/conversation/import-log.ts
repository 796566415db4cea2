import type { TranscriptLog } from "../../apis/logs/index.ts";
import { readyLog } from "../../apis/ready-log.ts";
import { readMessages } from "../../core/message-text.ts";
import { leadLength } from "../../core/rounds.ts";
import type { Dialect } from "../../core/types.ts";
import { writeHead } from "../../recall/stored-head.ts";
import type { Conversation, ServerStore } from "../../stores/server-store.ts";
import { wireOfDialect } from "../wires/index.ts";
import { changeMeta, type ImportedFile, metaOf } from "./chat-settings.ts";
import { createConversation, newMessages, type Writing } from "./store-messages.ts";

/** What became of one conversation of a file. */
export interface ImportedLog {
  /** Where it stands, also if the store held all of it already. Left out if nothing was said. */
  readonly conversation?: string;
  /** Messages that are new. */
  readonly added: number;
  /** What was left out of the log, or was odd about it. */
  readonly warnings: readonly string[];
}

/** Adds a conversation of a file to the store, as far as it isn't there: what is known is found by its hashes. */
export async function importLog(
  parts: Writing,
  tenant: string,
  log: TranscriptLog,
  from: { readonly file: string /** The file holds no other conversation. */; readonly isOnly: boolean },
): Promise<ImportedLog> {
  const { conversations } = parts.store;
  const { dialect, transcript, head, times, warnings } = logTranscript(log);
  const { messages } = newMessages(parts, dialect, transcript, 0, times);
  if (messages.length === 0) return { added: 0, warnings };
  // A conversation is as old as what was said last, so that lists have the newest first. A clock may have been wrong.
  const saidLast = Math.min(messages.at(-1)!.at, parts.now());
  const found = await conversations.find(
    tenant,
    messages.map(({ hash }) => hash),
  );
  const isOfFile = found && metaOf(found.conversation).imported?.file === from.file;
  if (found && found.matched === messages.length)
    return { conversation: found.conversation.id, added: 0, warnings };
  if (found && isOfFile && (from.isOnly || found.matched === found.conversation.length)) {
    const { id } = found.conversation;
    const behind = await conversations.read(tenant, id, { from: found.matched });
    const [next, ...rest] = messages.slice(found.matched);
    const appended = await conversations.append(tenant, {
      conversation: id,
      after: messages[found.matched - 1]!.hash,
      // A log that is still being written may end in the middle of an answer, which is longer the next time.
      messages: [{ ...next!, ...(behind.length === 1 && { rewritten: true }) }, ...rest],
      at: saidLast,
      storedAt: parts.now(),
    });
    return { conversation: appended.conversation, added: appended.added, warnings };
  }
  const conversation = await createConversation(parts, tenant, {
    dialect,
    transcript,
    head,
    title: log.title,
    model: log.model,
    ...(times && { times }),
    at: saidLast,
    // No state of the file yet: an import that breaks off here reads it again, and finds this conversation.
    meta: { imported: { file: from.file, bytes: 0, modified: 0 } },
  });
  return { conversation, added: messages.length, warnings };
}

/** Copies of a conversation that are remembered; the others are read again at each import. */
const MOST_COPIES = 100;

/** Says of conversations that they are what a file holds. Done last: a file that was broken off is read again. */
export async function markImported(
  { store }: Pick<Writing, "store">,
  tenant: string,
  ids: readonly string[],
  imported: ImportedFile,
): Promise<void> {
  for (const id of ids) {
    await changeMeta({ store }, tenant, id, (meta) => {
      const others = (meta.copies ?? []).filter(({ file }) => file !== imported.file);
      const isCopy = meta.imported?.file !== imported.file;
      const copies = isCopy ? [...others, imported].slice(-MOST_COPIES) : others;
      const { copies: _, ...rest } = isCopy ? meta : { ...meta, imported };
      return { ...rest, ...(copies.length > 0 && { copies }) };
    });
  }
}

/** Puts what is stored into the index of words now: otherwise the first search after a large import waits for it. */
export async function makeSearchable(store: Pick<ServerStore, "recallIndex">, tenant: string): Promise<void> {
  await store.recallIndex(tenant).candidates({ terms: [], limit: 0 });
}

/** Which state of a file each conversation was imported from. */
export function importedFiles(conversations: readonly Conversation[]): Map<string, ImportedFile> {
  const files = new Map<string, ImportedFile>();
  for (const conversation of conversations) {
    const { imported, copies = [] } = metaOf(conversation);
    for (const one of [...(imported ? [imported] : []), ...copies]) {
      const known = files.get(one.file);
      if (!known || known.modified <= one.modified) files.set(one.file, one);
    }
  }
  return files;
}

/** A log as it is stored: in a format that the gateway speaks. */
export interface LogTranscript {
  readonly dialect: Dialect<unknown>;
  /** Leading system messages included. */
  readonly transcript: readonly unknown[];
  /** What stands before the messages, as JSON text. */
  readonly head: string | undefined;
  readonly times?: readonly (number | undefined)[];
  /** What was left out or couldn't be said in this format. */
  readonly warnings: readonly string[];
}

export function logTranscript(log: TranscriptLog): LogTranscript {
  const isSpoken = wireOfDialect(log.dialect).dialect.id === log.dialect;
  const { dialect } = wireOfDialect(isSpoken ? log.dialect : "openai-chat");
  const { messages: transcript, system, times, warnings } = readyLog(log, dialect.id);
  const lead = transcript.slice(
    0,
    leadLength(readMessages(dialect, transcript), ({ role }) => role),
  );
  return {
    dialect,
    transcript,
    head: writeHead(dialect, { system, lead }),
    ...(times && { times }),
    warnings,
  };
}
