import { costOf } from "../contestants/packing.ts";
import { messageText } from "../message-text.ts";
import type { Count } from "../types.ts";
import type { Exam } from "./exam.ts";

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

export function examTokens({ messages }: Exam, count: Count): number {
  return messages.reduce((sum, message) => sum + costOf(messageText(message), count), 0);
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
