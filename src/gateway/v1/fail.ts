import type { ServerResponse } from "node:http";
import { openaiError } from "../../apis/shared/providers.ts";
import { BudgetImpossibleError, ConfigError, PrecisError, TranscriptError } from "../../core/errors.ts";
import { isConversationNotFound } from "../../stores/shared/not-found.ts";
import { RequestFault } from "../http/request-fault.ts";
import { sendJson } from "../http/send-json.ts";
import { type Log, loggable } from "../telemetry/log.ts";
import { UpstreamFault } from "../upstream/upstream-fault.ts";
import type { Wire } from "../wires/wire.ts";

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

/** Answers with an error in the words of the client's API. */
export function fail(
  { log }: { readonly log: Log },
  response: ServerResponse,
  error: unknown,
  wire?: Wire,
): number {
  const { status, code, message, isOurs } = describeFailure(error);
  if (isOurs) log.error({ err: error }, "a request failed");
  else log.debug({ ...loggable(error), status }, "a request was refused");
  const body = (wire?.error ?? openaiError)(status, { code, message });
  const retryAfter = error instanceof RequestFault ? error.retryAfter : undefined;
  const { request_id: id } = body;
  // Part of the body may still be on its way: the connection can't be used again.
  sendJson(response, status, body, {
    ...((status === 413 || status === 400) && { connection: "close" }),
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
    // Anthropic's clients read it here.
    ...(typeof id === "string" && { "request-id": id }),
  });
  return status;
}
