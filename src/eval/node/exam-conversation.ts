import { basename } from "node:path";
import { readLogs } from "../../apis/logs/index.ts";
import { TranscriptError } from "../../core/errors.ts";
import { logMessages } from "../data/log-session.ts";
import type { ChatMessage } from "../types.ts";
import { readText } from "./data-files.ts";

/** A conversation up to where an exam cuts it. */
export interface ExamConversation {
  /** Messages of the file before the cut. */
  readonly at: number;
  /** Those of them that somebody said. */
  readonly messages: readonly ChatMessage[];
  /** The summary that the client wrote at the cut, if it did. */
  readonly recorded?: string;
}

/** Messages after a compaction among which its summary is looked for: some clients put a note of their own first. */
const NEAR_CUT = 3;

/** Reads a conversation of whatever format. Without `at` it is cut at its first recorded compaction, else it is whole. */
export function examConversation(
  file: string,
  options: { readonly pick?: number; readonly at?: number } = {},
): ExamConversation {
  const { pick = 1 } = options;
  const log = readLogs(readText(file), { name: basename(file) })[pick - 1];
  if (log === undefined)
    throw new TranscriptError({
      message: `${file} has no conversation ${pick}.`,
      fix: "Choose another one.",
    });
  const { messages, summaries, compactions } = logMessages(log, basename(file));
  const at = Math.min(options.at ?? compactions[0] ?? messages.length, messages.length);
  const summary = [...summaries].find((index) => index >= at && index < at + NEAR_CUT);
  const recorded = summary === undefined ? undefined : messages[summary]?.content;
  return {
    at,
    // What a client's own compaction wrote before the cut was said by nobody.
    messages: messages.slice(0, at).filter((_, index) => !summaries.has(index)),
    ...(recorded !== undefined && { recorded }),
  };
}
