import { existsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { TranscriptError } from "../../core/errors.ts";
import { isProbeRecord, probeCase } from "../data/probe-case.ts";
import type { Exam } from "../judged/exam.ts";
import {
  type ExamRecord,
  examItems,
  isExamRecord,
  probeItems,
  type RawProbe,
} from "../judged/exam-records.ts";
import { filesBelow, readFolder, readRecords } from "./data-files.ts";
import { examConversation } from "./exam-conversation.ts";

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
    ...(at !== undefined && { at }),
    ...(pick !== undefined && { pick }),
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
