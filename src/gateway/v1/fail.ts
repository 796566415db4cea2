import type { ServerResponse } from "node:http";
import { openaiError } from "../../apis/shared/providers.ts";
import { RequestFault } from "../http/request-fault.ts";
import { sendJson } from "../http/send-json.ts";
import { describeFailure } from "../requests/describe-failure.ts";
import { type Log, loggable } from "../telemetry/log.ts";
import type { Wire } from "../wires/wire.ts";

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
