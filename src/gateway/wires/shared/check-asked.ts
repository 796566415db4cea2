import type { GatewayConfig } from "../../../config/gateway-schema.ts";
import { checkNamed } from "../../http/check-named.ts";
import { RequestFault } from "../../http/request-fault.ts";
import type { WireRequest } from "../wire.ts";

/** Names of models stand in keys of everything that is remembered, so longer ones are refused (characters). */
const MAX_MODEL_NAME = 512;

/** Refuses what no conversation has: a name of a model or a number of messages that would only cost others their turn. */
export function checkAsked(
  { model, transcript }: Pick<WireRequest, "model" | "transcript">,
  { messages }: GatewayConfig["limits"],
): void {
  if (model !== "") checkNamed("name of the model", model, MAX_MODEL_NAME);
  if (transcript.length > messages)
    throw new RequestFault(
      413,
      "too-many-messages",
      `precis: the request has ${transcript.length} messages, more than ${messages}. Send fewer, or raise limits.messages.`,
    );
}
