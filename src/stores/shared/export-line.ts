import { StoreError } from "../../core/errors.ts";
import type { ClientKey, Conversation, NewRequest, StoredMessage } from "../server-store.ts";
import type { RecordKind } from "../sql/records.ts";

/** Characters of a wrong value that an error shows. */
const SHOWN = 40;

/** Version of the lines below. */
export const EXPORT_VERSION = 4;

/**
 * One line of an export. A conversation's line is followed by those of its messages, so that it can be
 * imported whole or not at all.
 */
export type ExportLine =
  | { readonly type: "precis-export"; readonly version: number; readonly at: number }
  | {
      readonly type: "conversation";
      readonly tenant: string;
      readonly conversation: Conversation;
      readonly head?: string;
      /** The number of the message that is shown last, if it isn't the last of those that follow. */
      readonly leaf?: number;
    }
  | ({ readonly type: "message"; readonly tenant: string; readonly conversation: string } & ExportedMessage)
  | RecordLine
  | { readonly type: "request"; readonly tenant: string; readonly request: NewRequest }
  | { readonly type: "settings"; readonly tenant: string; readonly settings: unknown }
  | {
      readonly type: "clientKey";
      readonly tenant: string;
      readonly hash: string;
      readonly clientKey: ClientKey;
    };

/** A message of a tree. All messages of a conversation are numbered from 0 in the order of their lines, parents before children. */
interface ExportedMessage {
  readonly message: StoredMessage;
  /** The number of the message that it follows, null for none, if that isn't the one in the line before. */
  readonly parent?: number | null;
  /** Other ids of the answer that ends with it, beside `message.answer`. */
  readonly answers?: readonly string[];
}

/** A line with a record of the engine, which stands on the message with this chain hash. */
interface RecordLine {
  readonly type: "record";
  readonly tenant: string;
  readonly savedAt: number;
  readonly kind: RecordKind;
  readonly key: string;
  readonly hash: string;
  readonly record: unknown;
}

/** A conversation with all that is imported together with it. */
export interface ImportedConversation {
  readonly type: "whole-conversation";
  readonly tenant: string;
  readonly conversation: Conversation;
  readonly head: string | undefined;
  readonly leaf: number | undefined;
  readonly messages: ExportedMessage[];
}

/** What is imported in one go. */
export type ImportItem =
  | ImportedConversation
  | Exclude<ExportLine, { type: "precis-export" | "conversation" | "message" }>;

/** What came of an import so far. */
export interface ImportCount {
  lines: number;
  added: number;
  readonly clientKeys: { added: number; leftOut: number };
}

const TYPES: ReadonlySet<string> = new Set<ExportLine["type"]>([
  "precis-export",
  "conversation",
  "message",
  "record",
  "request",
  "settings",
  "clientKey",
]);

/** What an export holds, as it is imported: whole conversations, and the rest line by line. */
export async function* readExport(
  lines: AsyncIterable<string> | Iterable<string>,
  count: ImportCount,
  { clientKeys = false }: { readonly clientKeys?: boolean },
): AsyncIterable<ImportItem> {
  for await (const item of wholeItems(lines, count))
    if (item.type === "clientKey" && !clientKeys) count.clientKeys.leftOut++;
    else yield item;
}

/** Lines of an export put together to what is imported in one go. */
async function* wholeItems(
  lines: AsyncIterable<string> | Iterable<string>,
  count: Pick<ImportCount, "lines">,
): AsyncIterable<ImportItem> {
  let whole: ImportedConversation | undefined;
  let lineOfWhole = 0;
  let hashes = new Set<string>();
  for await (const text of lines) {
    if (text.trim() === "") continue;
    count.lines += 1;
    const line = parseLine(text, count.lines);
    if (line.type === "message") {
      if (whole?.conversation.id !== line.conversation || whole.tenant !== line.tenant)
        throw wrongLine(count.lines, "a message without its conversation before it");
      if (!isMessage(line.message))
        throw wrongLine(count.lines, "a message without hash, role, text or time");
      if (hashes.has(line.message.hash)) throw wrongLine(count.lines, "a message that came before");
      if (!isNumberBelow(whole.messages.length, line.parent ?? undefined))
        throw wrongLine(
          count.lines,
          `a message whose parent ${shown(line.parent)} isn't the number of one before it`,
        );
      const { answers = [] } = line;
      if (!Array.isArray(answers) || !answers.every((one) => typeof one === "string"))
        throw wrongLine(count.lines, "a message whose answers aren't a list of texts");
      hashes.add(line.message.hash);
      whole.messages.push(line);
      continue;
    }
    if (whole) yield checkedLeaf(whole, lineOfWhole);
    whole = undefined;
    if (line.type === "conversation") {
      lineOfWhole = count.lines;
      hashes = new Set();
      if (!isConversation(line.conversation))
        throw wrongLine(count.lines, "a conversation without id or times");
      const { tenant, conversation, head, leaf } = line;
      whole = { type: "whole-conversation", tenant, conversation, head, leaf, messages: [] };
    } else if (line.type !== "precis-export") yield line;
  }
  if (whole) yield checkedLeaf(whole, lineOfWhole);
}

/** Is a number that may be left out one of so many, counted from 0? */
function isNumberBelow(end: number, number: unknown): boolean {
  return number === undefined || (Number.isInteger(number) && Number(number) >= 0 && Number(number) < end);
}

const isMessage = (given: Partial<StoredMessage> | undefined): boolean =>
  [given?.hash, given?.role, given?.wire].every((value) => typeof value === "string") &&
  Number.isFinite(given?.at);

const isConversation = (given: Partial<Conversation> | undefined): boolean =>
  typeof given?.id === "string" && Number.isFinite(given.createdAt) && Number.isFinite(given.updatedAt);

const shown = (given: unknown): string => JSON.stringify(given).slice(0, SHOWN);

function checkedLeaf(whole: ImportedConversation, line: number): ImportedConversation {
  if (isNumberBelow(whole.messages.length, whole.leaf)) return whole;
  const { leaf, messages } = whole;
  throw wrongLine(
    line,
    `a conversation whose leaf ${shown(leaf)} isn't one of its ${messages.length} messages`,
  );
}

function parseLine(text: string, number: number): ExportLine {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch (error) {
    throw wrongLine(number, "not JSON", error);
  }
  const { type, version } = (line ?? {}) as { type?: unknown; version?: unknown };
  if (typeof type !== "string" || !TYPES.has(type)) throw wrongLine(number, "not a line of an export");
  if (number === 1 && type !== "precis-export") throw wrongLine(number, "no beginning of an export");
  if (type === "precis-export" && version !== EXPORT_VERSION) {
    throw new StoreError({
      operation: "import",
      message: `the export has version ${String(version)}, this precis reads version ${EXPORT_VERSION}.`,
      fix: "Import it with the precis that wrote it.",
    });
  }
  return line as ExportLine;
}

function wrongLine(number: number, what: string, cause?: unknown): StoreError {
  return new StoreError({
    operation: "import",
    message: `line ${number} is ${what}.`,
    fix: "Import a file that `precis db export` wrote, whole and unchanged. What came before this line is imported.",
    cause,
  });
}
