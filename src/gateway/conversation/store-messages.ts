import type { TranscriptLog } from "../../apis/logs/index.ts";
import { readyLog } from "../../apis/ready-log.ts";
import { defined } from "../../core/collections.ts";
import { firstCharacters } from "../../core/first-characters.ts";
import { parseExact, stringifyDeep } from "../../core/json.ts";
import { readMessages } from "../../core/message-text.ts";
import { leadLength } from "../../core/rounds.ts";
import type { Dialect } from "../../core/types.ts";
import { writeHead } from "../../recall/conversation-index.ts";
import { isFunctionWord } from "../../recall/terms.ts";
import type {
  Appended,
  Conversation,
  NewMessage,
  ServerStore,
  StoredMessage,
} from "../../stores/server-store.ts";
import { splitAttachments } from "../api/chat.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { readingOf, redactSecrets } from "../compaction/redact-secrets.ts";
import { RequestFault } from "../http/request-fault.ts";
import { wireOfDialect } from "../wires/index.ts";
import { type ChatMeta, changeMeta, type ImportedFile, metaOf } from "./chat-settings.ts";
import { type Loaded, type LoadParts, load } from "./loaded.ts";
import type { RecordedRequest } from "./recording.ts";
import { newMessage, titleOf, transcriptRecord } from "./transcript-record.ts";

export type Writing = Pick<CompactionParts, "config" | "store" | "now">;

/** What is stored with a message beside its text: all that the model said and was answered, and how an answer ended before its end. */
type Beside = Partial<Pick<StoredMessage, "given" | "unfinished">>;

/** Messages as the store takes them, from the n-th on (leading system messages not counted). */
function newMessages(
  parts: Writing,
  dialect: Dialect<unknown>,
  transcript: readonly unknown[],
  from: number,
  times: readonly (number | undefined)[] = [],
  beside: readonly Beside[] = [],
): {
  readonly messages: NewMessage[];
  readonly after: string | undefined;
} {
  const record = transcriptRecord(readingOf(parts.config, dialect), { transcript, system: undefined });
  const { start, chain } = record;
  const messages = transcript.slice(start + from).map((message, offset) => {
    const at = times[start + from + offset] ?? parts.now();
    const { given, unfinished } = beside[offset] ?? {};
    return {
      ...newMessage(record, from + offset, at, storedText(parts, message)),
      ...defined({ given, unfinished }),
    };
  });
  return { messages, after: from > 0 ? chain[from] : undefined };
}

/** Adds messages behind those of a conversation that are loaded. Behind older ones that makes a branch. */
export async function appendMessages(
  parts: Writing,
  tenant: string,
  loaded: Loaded,
  added: readonly unknown[],
  {
    real,
    unfinished,
    request,
  }: {
    /** All that the model said and was answered, where people are shown only a part of it. */
    readonly real?: readonly unknown[] | undefined;
    readonly unfinished?: StoredMessage["unfinished"] | undefined;
    /** The request that they are the answer of. */
    readonly request?: RecordedRequest;
  } = {},
): Promise<Appended> {
  const { dialect, transcript, conversation, model, stored } = loaded;
  const { length } = stored;
  const whole = [...transcript, ...added];
  const given = real?.map((message) => storedText(parts, message));
  const beside = added.map((_, n) => ({
    ...(n === 0 && given && { given }),
    ...(n === added.length - 1 && unfinished && { unfinished }),
  }));
  const { messages, after } = newMessages(parts, dialect, whole, length, [], beside);
  const isFirst = conversation.title === "" && length === 0;
  const isOurs = length > 0 && length < TITLED && conversation.title === titleOfChat(parts, loaded);
  const appended = await parts.store.conversations.append(tenant, {
    conversation: conversation.id,
    ...(after !== undefined && { after }),
    messages,
    ...(model !== "" && { model }),
    at: parts.now(),
    ...(request && after !== undefined && { request: request.row(after, messages.at(-1)?.hash) }),
  });
  if (request && after !== undefined) request.isStored = true;
  const title = isFirst || isOurs ? titleOfChat(parts, { dialect, transcript: whole }) : conversation.title;
  if (title !== conversation.title) {
    await parts.store.conversations.update(tenant, appended.conversation, { title });
  }
  return appended;
}

/** A new conversation with all of these messages. */
export async function createConversation(
  parts: Writing,
  tenant: string,
  made: {
    readonly dialect: Dialect<unknown>;
    readonly transcript: readonly unknown[];
    /** The system prompt as JSON text. */
    readonly head?: string | undefined;
    readonly title?: string | undefined;
    readonly model?: string | undefined;
    readonly times?: readonly (number | undefined)[];
    readonly beside?: readonly Beside[];
    readonly meta?: ChatMeta;
    /** A name that it is found by again; left out: one that nobody knows. */
    readonly session?: string;
    /** When it was said; left out: now. */
    readonly at?: number;
  },
): Promise<string> {
  const { dialect, transcript, head, model } = made;
  const { messages } = newMessages(parts, dialect, transcript, 0, made.times, made.beside);
  const title = made.title ?? titleIn(parts, dialect, transcript);
  const { conversation } = await parts.store.conversations.append(tenant, {
    ...(made.session !== undefined && { session: made.session }),
    messages,
    ...(head !== undefined && { head: redacted(parts, head) }),
    dialect: dialect.id,
    ...(model !== undefined && model !== "" && { model }),
    title,
    // With the messages: whoever is killed between the two would leave a conversation that nobody knows the origin of.
    meta: made.meta,
    at: made.at ?? parts.now(),
    createdAt: parts.now(),
  });
  return conversation;
}

/** A new conversation with the first messages of another. */
export async function forkConversation(
  parts: Writing & LoadParts,
  tenant: string,
  id: string,
  length: number,
): Promise<string> {
  const loaded = await load(parts, tenant, id, length);
  if (length > loaded.conversation.length)
    throw new RequestFault(
      400,
      "invalid",
      `length: the conversation has ${loaded.conversation.length} messages.`,
    );
  const { failures: _, said: __, ...meta } = loaded.meta;
  return createConversation(parts, tenant, {
    dialect: loaded.dialect,
    transcript: [...loaded.lead, ...loaded.stored.map(({ wire }) => parseExact(wire))],
    head: loaded.head,
    title: loaded.conversation.title,
    model: loaded.model,
    times: [...loaded.lead.map(() => undefined), ...loaded.stored.map(({ at }) => at)],
    beside: loaded.stored,
    meta: {
      ...meta,
      fork: { of: id, length, title: loaded.conversation.title },
    },
  });
}

/** A chat that begins with a greeting is called by what is said next, among so many messages. */
const TITLED = 6;

/** What people begin with, how they ask whom they speak to, and by which words they ask: none says what a text is about. */
const ASKING = new Set(
  "hello hey hiya greetings good morning afternoon evening thanks thank help there test ping anyone hallo hola bonjour salut ciao moin servus guten tag please say said tell told know show give like let make any all".split(
    " ",
  ),
);
const SHORTEST_WORD = 3;

/** The words of a text that say what it is about; none in a greeting. */
export function subjectWords(text: string): readonly string[] {
  const words = text.match(/[\p{L}\p{N}_./-]*[\p{L}\p{N}]/gu) ?? [];
  return words.filter((word) => {
    const lower = word.toLowerCase();
    return word.length >= SHORTEST_WORD && !isFunctionWord(lower) && !ASKING.has(lower);
  });
}

/** What a chat of the page is called as long as nobody names it: its first words that say something, without what is attached. */
export function titleOfChat(
  parts: Pick<Writing, "config">,
  { dialect, transcript }: Pick<Loaded, "dialect" | "transcript">,
): string {
  const reading = readingOf(parts.config, dialect);
  const said = transcript.slice(0, TITLED).map((message) => {
    const { role, parts: own } = reading.read(message);
    const text = own.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    const { words, attachments } = splitAttachments(text.trim());
    return { role, parts: [{ type: "text" as const, text: words || (attachments[0]?.name ?? "") }] };
  });
  const withSubject = said.filter(
    ({ parts: [part] }) => subjectWords(firstCharacters(part!.text, 500)).length > 0,
  );
  return titleOf(withSubject) || titleOf(said);
}

const storedText = (parts: Writing, message: unknown): string => redacted(parts, stringifyDeep(message));

const redacted = ({ config }: Pick<Writing, "config">, text: string): string =>
  config.redact ? redactSecrets(text) : text;

function titleIn(
  parts: Pick<Writing, "config">,
  dialect: Dialect<unknown>,
  transcript: readonly unknown[],
): string {
  const reading = readingOf(parts.config, dialect);
  return titleOf(transcript.map((message) => reading.read(message)));
}

/** What became of one conversation of a file. */
interface ImportedLog {
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
interface LogTranscript {
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
