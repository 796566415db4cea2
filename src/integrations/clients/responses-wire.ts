import { defined } from "../../core/defined.ts";
import { isRecord } from "../../core/is-record.ts";
import type { Dialect } from "../../core/types.ts";
import { openaiResponses } from "../../dialects/openai-responses/index.ts";
import { RESPONSES_COUNTING } from "../../models/shared/counting.ts";
import { knownUsage, responsesUsage } from "../../models/shared/usage.ts";
import { openaiRefusal } from "./chat-wire.ts";
import { type ClientWire, numberOf, textOf } from "./wire.ts";

/** A lower cap is refused (tokens). */
const LEAST_CAP = 16;

/** OpenAI's Responses API. What goes on from an answer on the server goes as it is: its transcript isn't here. */
export const responsesWire: ClientWire = {
  path: "/responses",
  count: RESPONSES_COUNTING,
  dialect: openaiResponses as Dialect<unknown>,
  read: ({ model, input, instructions, tools, max_output_tokens, previous_response_id, conversation }) =>
    Array.isArray(input) && !previous_response_id && !conversation
      ? {
          model: textOf(model),
          transcript: input,
          system: instructions ?? undefined,
          tools,
          cap: numberOf(max_output_tokens),
        }
      : undefined,
  write: (body, { messages, system }, cap) => ({
    ...body,
    input: messages,
    ...(system !== undefined && system !== null && { instructions: system }),
    ...(cap !== undefined && { max_output_tokens: Math.max(LEAST_CAP, cap) }),
  }),
  learn: (data) => {
    const response = isRecord(data["response"]) ? data["response"] : data;
    const { usage, status } = response;
    const stop = status === "incomplete" ? ("length" as const) : undefined;
    return defined({ usage: knownUsage(responsesUsage(usage)), stop });
  },
  refusal: openaiRefusal,
};
