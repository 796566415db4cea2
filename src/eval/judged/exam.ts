import type { ChatMessage as WireMessage } from "../../apis/chat/read.ts";
import { costOf } from "../contestants.ts";
import { contentText, messageText } from "../message-text.ts";
import type { ChatMessage, Count } from "../types.ts";

/** One question about a conversation, with what a good answer says. */
export interface ExamItem {
  readonly n: number;
  readonly type: string;
  readonly question: string;
  readonly expected: string;
  /** Points that an answer is marked by, each 1, 0.5 or 0. At least one. */
  readonly rubric: readonly string[];
}

/** A conversation and the questions that a reader of its view should be able to answer. */
export interface Exam {
  readonly id: string;
  /** The conversation up to the cut. */
  readonly messages: readonly ChatMessage[];
  /** The summary that was recorded at the cut, where there is one. */
  readonly recorded?: string;
  readonly items: readonly ExamItem[];
}

/** At most so many questions of an exam, evenly spread over their types, the same ones every time. */
export function fewerQuestions(exam: Exam, most: number): Exam {
  if (exam.items.length <= most) return exam;
  const byType = [...Map.groupBy(exam.items, (item) => item.type).values()];
  const chosen = new Set<ExamItem>();
  for (let round = 0; chosen.size < most; round += 1)
    for (const items of byType) {
      // From the middle of each type outwards: the first questions of a set are often about its first messages.
      const item = items[(Math.floor(items.length / 2) + round) % items.length];
      if (item !== undefined && chosen.size < most) chosen.add(item);
    }
  return { ...exam, items: exam.items.filter((item) => chosen.has(item)) };
}

/** A list in pieces of at most `size`. */
export function inPieces<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}

/** Questions as files hold them: exams with rubrics, and probes whose rubric may be their answer. */

interface RawItem {
  readonly n?: number;
  readonly type?: string;
  readonly q: string;
  readonly expected?: string;
  readonly rubric?: readonly string[];
}

/** An exam's file: the conversation is in another one. */
export interface ExamRecord {
  /** Path of the conversation, relative to the exam, to the folder above it, or to `--data`. */
  readonly session: string;
  /** Messages before the cut. Default: up to the first recorded compaction, else all. */
  readonly at?: number;
  /** Which conversation of a file that holds several, from 1. */
  readonly pick?: number;
  /** A summary that somebody wrote of it, to compare with. Default: the recorded one. */
  readonly summary?: string;
  readonly items: readonly RawItem[];
}

/** A question about somebody of whom nothing was said: the given answer is true of somebody else. */
const ADVERSARIAL = "adversarial";

export function isExamRecord(value: unknown): value is ExamRecord {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { session?: unknown }).session === "string" &&
    Array.isArray((value as { items?: unknown }).items) &&
    (value as { items: readonly unknown[] }).items.every(isRawItem)
  );
}

function isRawItem(value: unknown): value is RawItem {
  const { q, rubric } = (value ?? {}) as { q?: unknown; rubric?: unknown };
  const isRubric =
    rubric === undefined || (Array.isArray(rubric) && rubric.every((point) => typeof point === "string"));
  return typeof q === "string" && isRubric;
}

export function examItems(items: readonly RawItem[]): ExamItem[] {
  return items.map((item, index) => ({
    n: item.n ?? index,
    type: item.type ?? "question",
    question: item.q,
    expected: item.expected ?? "",
    rubric: rubricOf(item.rubric, item.expected ?? ""),
  }));
}

/** A probe of a conversation with questions. */
export interface RawProbe {
  readonly q: string;
  readonly a: unknown;
  readonly type: string;
  readonly rubric?: readonly string[];
}

export function probeItems(probes: readonly RawProbe[]): ExamItem[] {
  return probes.map(({ q, a, type, rubric }, n) => {
    const answer = typeof a === "string" ? a : JSON.stringify(a);
    if (type !== ADVERSARIAL || rubric !== undefined)
      return { n, type, question: q, expected: answer, rubric: rubricOf(rubric, answer) };
    const expected = `The conversation doesn't say so. (It says of somebody else: ${answer})`;
    return {
      n,
      type,
      question: q,
      expected,
      rubric: ["Says that the conversation doesn't tell this, or that it is true of somebody else"],
    };
  });
}

const rubricOf = (rubric: readonly string[] | undefined, expected: string): readonly string[] =>
  rubric !== undefined && rubric.length > 0 ? rubric : [`Says: ${expected}`];

/** A message as a reader sees it. */
export interface Shown {
  readonly role: string;
  readonly text: string;
}

const NAMES: Readonly<Record<string, string>> = { tool: "tool result" };

/** Messages with their speakers. The names stand for what a message costs on the wire, about four tokens. */
export function readerText(messages: readonly Shown[]): string {
  return messages.map(({ role, text }) => `[${NAMES[role] ?? role}]\n${text}`).join("\n\n");
}

/** A message of the Chat Completions format, its calls as lines. */
export function shownMessage(message: WireMessage): Shown {
  const text = contentText(message);
  const lines = (message.tool_calls ?? []).map(({ function: fn }) => `→ ${fn?.name} ${fn?.arguments}`);
  return { role: message.role, text: [...(text === "" ? [] : [text]), ...lines].join("\n") };
}

export function examTokens({ messages }: Exam, count: Count): number {
  return messages.reduce((sum, message) => sum + costOf(messageText(message), count), 0);
}
