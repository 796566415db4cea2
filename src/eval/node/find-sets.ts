import { basename, join } from "node:path";
import { readLogs, type TranscriptLog } from "../../apis/logs/index.ts";
import { TranscriptError } from "../../core/errors.ts";
import { cutCases } from "../data/cut-cases.ts";
import {
  type AgentSession,
  type AnchorCaseRecord,
  anchorCase,
  chatMessage,
  isAgentSession,
  isAnchorCase,
  isProbeRecord,
  logSession,
  parseAgentSession,
  probeCase,
} from "../data/sessions.ts";
import type { CitationCase, EvalCase, EvalSet } from "../types.ts";
import { type DataFolder, inFile, readFolder, readRecords, readText } from "./data-files.ts";

/** A file of cases brings its sessions with it, so what lies beside and below it isn't looked at again. */
const CASE_FILE = /cases.*\.jsonl(?:\.gz)?$/;

/** A sample of a small set has at least this many of its sessions, if there are so many. */
const FEWEST_SAMPLED = 4;

/** The sets in a folder, told by what its files hold, not by their names. Sessions are read when their turn comes. */
export function findSets(dir: string): EvalSet[] {
  return setsIn(readFolder(dir), []);
}

/** Every data file below a folder, and the sessions that files of cases name. */
export function filesRead(dir: string): string[] {
  return filesIn(readFolder(dir));
}

function filesIn({ path, files, folders }: DataFolder): string[] {
  const sessions = files
    .filter((file) => CASE_FILE.test(file))
    .flatMap((file) => readRecords(join(path, file)))
    .flatMap((record) => (isAnchorCase(record) ? [join(path, record.file)] : []));
  return [...new Set([...files.map((file) => join(path, file)), ...sessions]), ...folders.flatMap(filesIn)];
}

function setsIn(folder: DataFolder, names: readonly string[]): EvalSet[] {
  const name = names.join("/") || basename(folder.path);
  const caseFiles = folder.files.filter((file) => CASE_FILE.test(file));
  if (caseFiles.length > 0) return caseFiles.flatMap((file) => anchorSets(folder.path, file, name));
  return [
    ...fileSets(folder, name),
    ...folder.folders.flatMap((inner) => setsIn(inner, [...names, basename(inner.path)])),
  ];
}

/** Cuts and real compactions of a file of cases: two sets, as their budgets differ. */
function anchorSets(folder: string, file: string, name: string): EvalSet[] {
  const records = readRecords(join(folder, file)).filter(isAnchorCase);
  const set = (id: string, chosen: readonly AnchorCaseRecord[], budgets: EvalSet["budgets"]): EvalSet[] => {
    const files = [...new Set(chosen.map((record) => record.file))];
    return setOf({ id: `${name}/${id}`, type: "agent", budgets }, files, function* (sessionFile) {
      const path = join(folder, sessionFile);
      const session = inFile(path, () => parseAgentSession(readRecords(path)[0]));
      for (const record of chosen.filter((r) => r.file === sessionFile)) yield anchorCase(record, session);
    });
  };
  const isCut = (record: AnchorCaseRecord) => record.kind === "cut";
  const hasSummary = (record: AnchorCaseRecord) => !isCut(record) && typeof record.summaryAt === "number";
  return [
    ...set("cuts", records.filter(isCut), "shares"),
    ...set("compactions", records.filter(hasSummary), "recorded"),
  ];
}

/** Questions and cited documents, one set per file; sessions without a file of cases, one set per folder. */
function fileSets(folder: DataFolder, name: string): EvalSet[] {
  const sets: EvalSet[] = [];
  const sessions: string[] = [];
  const logs: AgentSession[] = [];
  for (const file of folder.files) {
    const path = join(folder.path, file);
    const records = readRecords(path);
    const id = `${name}/${file.replace(/\..*$/, "")}`;
    if (isAgentSession(records[0])) sessions.push(path);
    else if (!records.some((record) => isProbeRecord(record) || isCitationRecord(record)))
      logs.push(...logsIn(path));
    sets.push(
      ...setOf({ id, type: "probes", budgets: "shares" }, records.filter(isProbeRecord), (record) => [
        inFile(path, () => probeCase(record)),
      ]),
      ...setOf({ id, type: "citations", budgets: "shares" }, records.filter(isCitationRecord), (record) => [
        inFile(path, () => citationCase(record)),
      ]),
    );
  }
  const cuts = setOf({ id: `${name}/cuts`, type: "agent", budgets: "shares" }, sessions, function* (path) {
    for (const record of readRecords(path).filter(isAgentSession))
      yield* cutCases(inFile(path, () => parseAgentSession(record)));
  });
  return [
    ...sets,
    ...cuts,
    ...setOf({ id: `${name}/logs`, type: "agent", budgets: "shares" }, logs, cutCases),
  ];
}

/** The conversations of an agent's own log; none in a file that isn't one. */
export function logsIn(path: string): AgentSession[] {
  const text = readText(path);
  let logs: readonly TranscriptLog[];
  try {
    logs = readLogs(text, { name: basename(path) });
  } catch (error) {
    if (error instanceof TranscriptError) return [];
    throw error;
  }
  return inFile(path, () =>
    logs.flatMap((log, index) => logSession(log, `${basename(path)} ${index + 1}`) ?? []),
  );
}

/** A set whose cases are made from its items one by one; none for no items. */
function setOf<T>(
  about: Pick<EvalSet, "id" | "type" | "budgets">,
  items: readonly T[],
  casesOf: (item: T) => Iterable<EvalCase>,
): EvalSet[] {
  if (items.length === 0) return [];
  return [
    {
      ...about,
      sessions: items.length,
      *cases(everyNth) {
        const step = Math.min(everyNth, Math.ceil(items.length / FEWEST_SAMPLED));
        for (const [index, item] of items.entries()) if (index % step === 0) yield* casesOf(item);
      },
    },
  ];
}

interface CitationRecord {
  readonly id: string;
  readonly messages: readonly Parameters<typeof chatMessage>[0][];
  readonly documents: Readonly<Record<string, string>>;
  readonly citations: readonly { readonly n: number }[];
}

function isCitationRecord(value: unknown): value is CitationRecord {
  return typeof value === "object" && value !== null && "documents" in value && "citations" in value;
}

function citationCase(record: CitationRecord): CitationCase {
  return {
    type: "citations",
    session: record.id,
    messages: record.messages.map(chatMessage),
    from: 0,
    to: record.messages.length,
    documents: new Map(Object.entries(record.documents).map(([n, id]) => [Number(n), id])),
    cited: [...new Set(record.citations.map((citation) => citation.n))],
  };
}
