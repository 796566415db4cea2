import type { GatewayConfig } from "../../../config/gateway-schema.ts";
import { RequestFault } from "../../http/request-fault.ts";
import type { WireRequest } from "../wire.ts";

/** Longer names of models are refused: they stand in keys of everything that is remembered (characters). */
const MAX_MODEL_NAME = 512;

/** Refuses what no conversation has: a name of a model or a number of messages that would only cost others their turn. */
export function checkAsked(
  { model, transcript }: Pick<WireRequest, "model" | "transcript">,
  { messages }: GatewayConfig["limits"],
): void {
  if (model.length > MAX_MODEL_NAME)
    throw new RequestFault(
      400,
      "invalid",
      `precis: the name of the model is longer than ${MAX_MODEL_NAME} characters.`,
    );
  if (transcript.length > messages)
    throw new RequestFault(
      413,
      "too-many-messages",
      `precis: the request has ${transcript.length} messages, more than ${messages}. Send fewer, or raise limits.messages.`,
    );
}
