import type { TokenCounter } from "../../core/types.ts";
import { costOf } from "../contestants.ts";
import type { Count } from "../types.ts";
import { type Arm, armTokens, takesPart } from "./arms.ts";
import { type Exam, examTokens } from "./exam.ts";

/** How large a context may be: a multiple of the recorded summary, a share of the conversation, or tokens. */
export type ExamSize =
  | { readonly type: "recorded"; readonly times: number }
  | { readonly type: "share"; readonly share: number }
  | { readonly type: "tokens"; readonly tokens: number };

/** `S`, `2S`, `10%`, `4000`, `4k`; undefined for anything else. */
export function parseSize(text: string): ExamSize | undefined {
  const [, number = "", unit = ""] = /^(\d*\.?\d*)\s*([a-z%]?)$/i.exec(text.trim()) ?? [];
  const value = number === "" ? 1 : Number(number);
  if (!(value > 0) || (number === "" && unit === "")) return undefined;
  switch (unit.toLowerCase()) {
    case "s":
      return { type: "recorded", times: value };
    case "%":
      return number === "" || value > 100 ? undefined : { type: "share", share: value / 100 };
    case "k":
      return number === "" ? undefined : { type: "tokens", tokens: Math.round(value * 1_000) };
    case "":
      return { type: "tokens", tokens: Math.round(value) };
    default:
      return undefined;
  }
}

export function sizeLabel(size: ExamSize): string {
  switch (size.type) {
    case "recorded":
      return size.times === 1 ? "S" : `${size.times}S`;
    case "share":
      return `${Math.round(size.share * 1_000) / 10} %`;
    case "tokens":
      return String(size.tokens);
  }
}

/** The size in tokens; undefined where the exam has no recorded summary to go by. */
export function sizeTokens(size: ExamSize, exam: Exam, count: Count): number | undefined {
  switch (size.type) {
    case "recorded":
      return exam.recorded === undefined ? undefined : Math.floor(size.times * costOf(exam.recorded, count));
    case "share":
      return Math.floor(size.share * examTokens(exam, count));
    case "tokens":
      return size.tokens;
  }
}

/** An arm at a size: one line of the table. */
export interface Entrant {
  /** `precis@2S`. */
  readonly id: string;
  readonly arm: Arm;
  readonly sizeLabel: string;
  /** Tokens that its context may have. */
  readonly tokens: number;
}

/** An exam and who sits it. */
export interface Sitting {
  readonly exam: Exam;
  readonly entrants: readonly Entrant[];
}

/** Where nobody says otherwise: beside a recorded summary its size and twice that, else a tenth. */
function defaultSizes(exam: Exam): ExamSize[] {
  return exam.recorded === undefined
    ? [{ type: "share", share: 0.1 }]
    : [1, 2].map((times) => ({ type: "recorded", times }));
}

/** Who takes part in which exam at which size. An arm that no size limits takes part once. */
export function sittingsOf(options: {
  readonly exams: readonly Exam[];
  readonly arms: readonly Arm[];
  /** Undefined: those that suit the exam. */
  readonly sizes: readonly ExamSize[] | undefined;
  readonly counter: TokenCounter;
  /** The largest context that the reader can take. */
  readonly largest: number;
}): Sitting[] {
  const { arms, counter, largest } = options;
  return options.exams.map((exam) => {
    const entrants = new Map<string, Entrant>();
    for (const size of options.sizes ?? defaultSizes(exam)) {
      const given = sizeTokens(size, exam, counter.count);
      if (given === undefined) continue;
      for (const arm of arms) {
        const tokens = armTokens(arm, exam, given, counter);
        if (tokens > largest || !takesPart(arm, exam, given, counter)) continue;
        const label = arm.size === "all" ? "all" : sizeLabel(size);
        const id = `${arm.id}@${label}`;
        if (!entrants.has(id)) entrants.set(id, { id, arm, sizeLabel: label, tokens });
      }
    }
    return { exam, entrants: [...entrants.values()] };
  });
}
