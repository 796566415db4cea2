import { defined } from "../../core/collections.ts";
import { BudgetImpossibleError, ConfigError, PrecisError, TranscriptError } from "../../core/errors.ts";
import type { Report } from "../../core/types.ts";
import { isConversationNotFound } from "../../stores/shared/not-found.ts";
import type { ApiError, FailedSummary, TimelineFact } from "../api.ts";
import { RequestFault } from "../http/request-fault.ts";
import type { Log } from "../telemetry/log.ts";
import { UpstreamFault } from "../upstream/upstream-fault.ts";

/** An error as `/api` tells it; what nobody foresaw is logged. */
export function apiError(log: Log, error: unknown): { readonly status: number } & ApiError {
  const { status, code, message, isOurs } = describeFailure(error);
  if (isOurs) log.error({ err: error }, "work for a page failed");
  const fix =
    error instanceof Error && "fix" in error && typeof error.fix === "string" ? error.fix : undefined;
  const field = error instanceof RequestFault ? error.field : undefined;
  return { status, error: { code, message, ...defined({ fix, field }) } };
}

/** What a client is told about an error: status, code and words. Anything unforeseen is logged with its cause. */
export function describeFailure(error: unknown): {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly isOurs: boolean;
} {
  const { code, message } = Object(error) as PrecisError;
  if (error instanceof RequestFault || error instanceof UpstreamFault)
    return { status: error.status, code, message, isOurs: false };
  if (CLIENTS_FAULTS.some((one) => error instanceof one))
    return { status: 400, code, message, isOurs: false };
  // It was there when the request was looked at.
  if (isConversationNotFound(error))
    return {
      status: 404,
      code: "not-found",
      message: "precis: the conversation was deleted meanwhile.",
      isOurs: false,
    };
  if (error instanceof PrecisError) return { status: 500, code, message, isOurs: true };
  return {
    status: 500,
    code: "internal",
    message: "precis: something went wrong inside of the gateway. Its log tells more.",
    isOurs: true,
  };
}

const CLIENTS_FAULTS = [BudgetImpossibleError, TranscriptError, ConfigError];

/** A compaction as the timeline keeps it. */
export function compactedFact(
  report: Report,
  ms: number,
  failed = failedSummary(report),
): Extract<TimelineFact, { type: "compacted" }> {
  // As its checkpoint says it: what is quoted behind it for one message is a fact of its own.
  const after = report.quoted.reduce((left, { tokens }) => left - tokens, report.tokens.after);
  return {
    type: "compacted",
    reason: report.reason,
    rung: report.rungs.findLast(({ result }) => result === "used")?.rung,
    strategy: report.strategy,
    tokens: { ...report.tokens, after },
    pressure: { ...report.pressure, after: after / report.budget.budget },
    counts: report.counts,
    ms: Math.round(ms),
    cost: report.cost,
    checkpoint: report.checkpoint,
    ...(failed && { failed: failed.message }),
    ...(report.warnings.length > 0 && { warnings: report.warnings.map(({ code }) => code) }),
    ...(report.summaryCheck && { summaryCheck: report.summaryCheck }),
    ...(report.summarizer?.key && { key: report.summarizer.key }),
  };
}

/** The name of the class, which notes of calls begin with, is nothing to people. */
const CLASS_NAME = /^\w*Error: /;

/**
 * What a compaction says about a model that was asked for its summary and failed: nothing, if another try was good.
 * `told` is what the model's failure said while this compaction waited for it.
 */
export function failedSummary(
  { modelCalls, rungs, outcome }: Pick<Report, "modelCalls" | "rungs" | "outcome">,
  reported?: string,
): FailedSummary | undefined {
  const last = modelCalls.some(({ result }) => result === "accepted") ? undefined : modelCalls.at(-1);
  const message = reported ?? last?.note?.replace(CLASS_NAME, "");
  if (message === undefined) return undefined;
  const used = rungs.findLast(({ result }) => result === "used")?.rung;
  return { message, fallback: outcome === "compacted" ? used : undefined };
}
