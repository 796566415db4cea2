import { existsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { readLogs } from "../../apis/logs/index.ts";
import { defined } from "../../core/collections.ts";
import { TranscriptError } from "../../core/errors.ts";
import { isProbeRecord, logMessages, probeCase } from "../data/sessions.ts";
import {
  type Exam,
  type ExamRecord,
  examItems,
  isExamRecord,
  probeItems,
  type RawProbe,
} from "../judged/exam.ts";
import type { ChatMessage } from "../types.ts";
import { filesBelow, readFolder, readRecords, readText } from "./data-files.ts";

/** The exams in files and folders, told by what they hold. `data` is where conversations are looked for, too. */
export function findExams(paths: readonly string[], data: string | undefined): Exam[] {
  return paths.flatMap((path) => filesAt(path)).flatMap((file) => examsIn(file, data));
}

function filesAt(path: string): string[] {
  return statSync(path).isDirectory() ? filesBelow(readFolder(path)) : [path];
}

function examsIn(file: string, data: string | undefined): Exam[] {
  return readRecords(file).flatMap((record): Exam[] => {
    if (isExamRecord(record)) return [examOf(file, record, data)];
    if (!isProbeRecord(record)) return [];
    const { messages, session } = probeCase(record);
    return [{ id: session, messages, items: probeItems(record.probes as readonly RawProbe[]) }];
  });
}

function examOf(file: string, record: ExamRecord, data: string | undefined): Exam {
  const { session, at, pick, summary, items } = record;
  const { messages, recorded } = examConversation(sessionFile(file, session, data), {
    ...defined({ at, pick }),
  });
  const compared = summary ?? recorded;
  return {
    id: basename(file).replace(/\.jsonl?(?:\.gz)?$/, ""),
    messages,
    ...(compared !== undefined && { recorded: compared }),
    items: examItems(items),
  };
}

function sessionFile(exam: string, session: string, data: string | undefined): string {
  const folder = dirname(resolve(exam));
  const places = [folder, dirname(folder), ...(data === undefined ? [] : [data])];
  const found = places.map((place) => resolve(place, session)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new TranscriptError({
    message: `${exam} asks about ${session}, which is not there.`,
    fix: `Put it beside the exam, or name its folder with --data. Looked in ${places.join(", ")}.`,
  });
}

/** A conversation up to where an exam cuts it. */
interface ExamConversation {
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
