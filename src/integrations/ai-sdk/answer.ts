import type { Report, Usage } from "../../core/types.ts";
import { AI_SDK_STOPS } from "../../models/ai-sdk.ts";
import type { Learned } from "../shared/send-fitted.ts";

/** The end of an answer, whole or streamed, in specification V2 (plain numbers and words) or V3 and V4 (objects). */
export interface AnswerEnd {
  readonly usage?: unknown;
  readonly finishReason?: unknown;
  readonly providerMetadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What an answer's end tells about tokens. */
export function learnedOf(end: AnswerEnd): Learned {
  const { usage, finishReason } = end;
  return {
    usage: usageOf(usage),
    stop: AI_SDK_STOPS[String(field(finishReason, "unified") ?? finishReason)],
  };
}

function usageOf(usage: unknown): Usage | undefined {
  const input = tokens(field(usage, "inputTokens"));
  const output = tokens(field(usage, "outputTokens"));
  if (input === undefined) return undefined;
  return { input, ...(output !== undefined && { output }) };
}

function tokens(value: unknown): number | undefined {
  const total = field(value, "total") ?? value;
  return typeof total === "number" ? total : undefined;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** The answer with what precis did among its provider metadata, never in its text. */
export function withReport<A extends AnswerEnd>(answer: A, report: Report): A {
  const precis = {
    outcome: report.outcome,
    pressure: report.pressure.after,
    tokensBefore: report.tokens.before,
    tokensAfter: report.tokens.after,
    budget: report.budget.budget,
  };
  return { ...answer, providerMetadata: { ...answer.providerMetadata, precis } };
}
