import { randomUUID } from "node:crypto";
import { stringifyDeep } from "../../core/deep-json.ts";
import { createTextHash } from "../../core/hash.ts";
import type { Dialect } from "../../core/types.ts";
import type { Appended, NewMessage } from "../../stores/server-store.ts";
import type { CompactionParts } from "../compaction/compaction-parts.ts";
import { redactSecrets } from "../compaction/redact-secrets.ts";
import { readingOf } from "../compaction/redacting.ts";
import type { ChatMeta } from "./chat-meta.ts";
import type { Loaded } from "./loaded.ts";
import { titleOf } from "./title-of.ts";
import { transcriptRecord } from "./transcript-record.ts";

/** What messages are written with. */
type Writing = Pick<CompactionParts, "config" | "store" | "now">;

const textHash = createTextHash();
/** Rough tokens of a stored message, for lists. */
const CHARS_PER_TOKEN = 4;

/** Messages as the store takes them, from the n-th on (leading system messages not counted). */
function newMessages(
  parts: Writing,
  dialect: Dialect<unknown>,
  transcript: readonly unknown[],
  from: number,
  times: readonly (number | undefined)[] = [],
): { readonly messages: NewMessage[]; readonly after: string | undefined; readonly start: number } {
  const record = transcriptRecord(
    readingOf(parts.config, dialect),
    { transcript, system: undefined },
    textHash,
  );
  const { start, chain } = record;
  const messages = transcript.slice(start + from).map((wire, offset): NewMessage => {
    const index = from + offset;
    const text = stringifyDeep(wire);
    return {
      hash: chain[index + 1]!,
      role: record.messages[start + index]!.role,
      wire: parts.config.redact ? redactSecrets(text) : text,
      tokens: Math.ceil(text.length / CHARS_PER_TOKEN),
      at: times[start + index] ?? parts.now(),
    };
  });
  return { messages, after: from > 0 ? chain[from] : undefined, start };
}

/** Adds messages behind the first `length` ones of a conversation. Behind older ones that makes a fork. */
export async function appendMessages(
  parts: Writing,
  tenant: string,
  loaded: Loaded,
  added: readonly unknown[],
  length = loaded.stored.length,
): Promise<Appended> {
  const { dialect, lead, transcript, conversation, model } = loaded;
  const whole = [...transcript.slice(0, lead.length + length), ...added];
  const { messages, after } = newMessages(parts, dialect, whole, length);
  const untitled = conversation.title === "" && length === 0;
  const appended = await parts.store.conversations.append(tenant, {
    conversation: conversation.id,
    ...(after !== undefined && { after }),
    messages,
    ...(model !== "" && { model }),
    at: parts.now(),
  });
  if (untitled) {
    const title = titleIn(parts, dialect, whole);
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
    readonly meta: ChatMeta;
  },
): Promise<string> {
  const { dialect, transcript, head, model } = made;
  const { messages } = newMessages(parts, dialect, transcript, 0, made.times);
  const title = made.title ?? titleIn(parts, dialect, transcript);
  const { conversation } = await parts.store.conversations.append(tenant, {
    session: `page-${randomUUID()}`,
    messages,
    ...(head !== undefined && { head: parts.config.redact ? redactSecrets(head) : head }),
    dialect: dialect.id,
    ...(model !== undefined && model !== "" && { model }),
    title,
    at: parts.now(),
  });
  await parts.store.conversations.update(tenant, conversation, { meta: made.meta });
  return conversation;
}

function titleIn(parts: Writing, dialect: Dialect<unknown>, transcript: readonly unknown[]): string {
  const reading = readingOf(parts.config, dialect);
  return titleOf(transcript.map((message) => reading.read(message)));
}
