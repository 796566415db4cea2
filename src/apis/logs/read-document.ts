import { aiSdkUi, isUiMessage } from "./ai-sdk-ui.ts";
import { chatgpt } from "./chatgpt.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { isFields } from "./fields.ts";
import { opencode } from "./opencode.ts";
import { openhands, openhandsEvents } from "./openhands.ts";
import { pi } from "./pi.ts";
import { geminiRequest, isWireMessage, messagesRequest, readMessages, responsesRequest } from "./requests.ts";
import { session } from "./session.ts";
import { sharegpt } from "./sharegpt.ts";
import { sweAgent } from "./swe-agent.ts";
import type { DocumentFormat, LogOptions, RecordFormat, TranscriptLog } from "./types.ts";
import { describeValue, wrongFile } from "./wrong-file.ts";

/** Logs with one record per line. A new one is added here. */
export const recordFormats: readonly RecordFormat[] = [claudeCode, codex, pi, openhandsEvents];

/** Conversations in one JSON value, the most particular shape first. A new one is added here. */
const documentFormats: readonly DocumentFormat[] = [
  opencode,
  aiSdkUi,
  session,
  sweAgent,
  openhands,
  sharegpt,
  chatgpt,
  messagesRequest,
  responsesRequest,
  geminiRequest,
];

/** Every conversation in a JSON value; never empty. */
export function readDocument(value: unknown, options: LogOptions, line?: number): readonly TranscriptLog[] {
  if (Array.isArray(value)) return readList(value, options, line);
  const one = isFields(value) ? readOne(value, options) : undefined;
  // A single message is a conversation that has just begun.
  if (one === undefined && (isWireMessage(value) || isUiMessage(value)))
    return readList([value], options, line);
  if (one === undefined) throw wrongFile(`found ${describeValue(value)}`, line);
  return [one];
}

function readOne(value: Readonly<Record<string, unknown>>, options: LogOptions): TranscriptLog | undefined {
  return documentFormats.find((format) => format.matches(value))?.read(value, options);
}

function readList(
  values: readonly unknown[],
  options: LogOptions,
  line: number | undefined,
): readonly TranscriptLog[] {
  const records = values.filter(isFields);
  if (records.length === 0 || records.length < values.length)
    throw wrongFile(`found ${describeValue(values)}`, line);
  if (values.every(isUiMessage)) return [aiSdkUi.read({ messages: records }, options)];
  if (values.every(isWireMessage)) {
    // A bare list can have the flat calls of a session, too.
    const asSession = { messages: records };
    return [session.matches(asSession) ? session.read(asSession, options) : readMessages(records, options)];
  }
  const format = recordFormats.find((candidate) => records.some((record) => candidate.matches(record)));
  if (format !== undefined) {
    const reader = format.create(options);
    for (const [at, record] of records.entries()) reader.push(record, at + 1);
    return [reader.end()];
  }
  return records.map((record, index) => {
    const log = readOne(record, options);
    if (log === undefined) throw wrongFile(`conversation ${index + 1}: found ${describeValue(record)}`, line);
    return log;
  });
}
