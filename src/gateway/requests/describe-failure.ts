import { defined } from "../../core/collections.ts";
import { BudgetImpossibleError, ConfigError, PrecisError, TranscriptError } from "../../core/errors.ts";
import { isConversationNotFound } from "../../stores/shared/not-found.ts";
import type { ApiError } from "../api.ts";
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
  if (error instanceof RequestFault)
    return { status: error.status, code: error.code, message: error.message, isOurs: false };
  if (error instanceof BudgetImpossibleError)
    return { status: 400, code: error.code, message: error.message, isOurs: false };
  if (error instanceof TranscriptError || error instanceof ConfigError)
    return { status: 400, code: error.code, message: error.message, isOurs: false };
  if (error instanceof UpstreamFault)
    return {
      status: error.kind === "timeout" ? 504 : 502,
      code: `upstream-${error.kind}`,
      message: error.message,
      isOurs: false,
    };
  // It was there when the request was looked at.
  if (isConversationNotFound(error))
    return {
      status: 404,
      code: "not-found",
      message: "precis: the conversation was deleted meanwhile.",
      isOurs: false,
    };
  if (error instanceof PrecisError)
    return { status: 500, code: error.code, message: error.message, isOurs: true };
  return {
    status: 500,
    code: "internal",
    message: "precis: something went wrong inside of the gateway. Its log tells more.",
    isOurs: true,
  };
}
