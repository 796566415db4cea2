import { stringifyDeep } from "../../core/deep-json.ts";
import type { NewMessage } from "../../stores/server-store.ts";
import { redactSecrets } from "../compaction/redact-secrets.ts";
import { answerKey } from "./answer-key.ts";
import type { TranscriptRecord } from "./transcript-record.ts";

/** Rough tokens of a stored message, for lists; views are counted exactly. */
const CHARS_PER_TOKEN = 4;

/** Messages at whose end an answer ends. */
export function ending(messages: readonly NewMessage[], answerId: string): readonly NewMessage[] {
  return messages.map((message, index) =>
    index === messages.length - 1 ? { ...message, answer: answerKey(answerId) } : message,
  );
}

/** A message of a transcript as the store takes it. */
export function newMessage(record: TranscriptRecord, index: number, at: number, redact: boolean): NewMessage {
  const text = stringifyDeep(record.wire[record.start + index]);
  return {
    hash: record.chain[index + 1]!,
    role: record.messages[record.start + index]!.role,
    wire: redact ? redactSecrets(text) : text,
    tokens: Math.ceil(text.length / CHARS_PER_TOKEN),
    at,
  };
}
