import type { TokenCounter } from "../../core/types.ts";
import { type Arm, armTokens, takesPart } from "./arms.ts";
import type { Exam } from "./exam.ts";
import { type ExamSize, sizeLabel, sizeTokens } from "./size.ts";

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
