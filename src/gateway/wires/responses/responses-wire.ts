import { openaiResponses } from "../../../apis/index.ts";
import { responsesHosting } from "../../../apis/responses/hosting.ts";
import { compactAnswer, replayItems, responsesNative, transcriptOf } from "../../../apis/responses/native.ts";
import { RESPONSES_COUNTING } from "../../../apis/shared/counting.ts";
import { readEvents } from "../../../apis/shared/events.ts";
import { isJson, type Json, listOf, numberOf, textOf } from "../../../apis/shared/fields.ts";
import { knownUsage, responsesUsage } from "../../../apis/shared/usage.ts";
import { openaiCompatible } from "../../../models/index.ts";
import { RequestFault } from "../../http/request-fault.ts";
import { askCount } from "../shared/ask-count.ts";
import { isOpenai, openaiBase, openaiError } from "../shared/providers.ts";
import { rewrittenMessages, wireDialect } from "../shared/wire-dialect.ts";
import type { Wire, WireAnswer } from "../wire.ts";

/** How a response may stand that holds its answer; a cut one does, too. */
const FINISHED: ReadonlySet<unknown> = new Set([undefined, null, "completed", "incomplete"]);
/** Events that say the same, whatever the response in them says. */
const FINISHING: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete"]);

/** A lower cap is refused (tokens). */
const LEAST_CAP = 16;

export const responsesWire: Wire = {
  api: "responses",
  path: "/v1/responses",
  dialect: wireDialect(openaiResponses),
  endMarkers: ["response.completed", "response.incomplete", "response.failed"],
  inputField: "input_tokens",

  read(body) {
    const input = body["input"];
    if (input !== undefined && typeof input !== "string" && !Array.isArray(input))
      throw new RequestFault(400, "invalid", "`input` is neither a text nor a list.");
    return {
      model: textOf(body["model"]) ?? "",
      transcript: transcriptOf(input),
      system: body["instructions"] ?? undefined,
      tools: body["tools"],
      streamed: body["stream"] === true,
      cap: numberOf(body["max_output_tokens"]),
    };
  },

  write: (body, view) => ({
    ...body,
    input: rewrittenMessages(responsesWire.dialect, body["input"], view.messages),
    ...(view.system !== undefined && view.system !== null && { instructions: view.system }),
  }),

  withoutThinking({ reasoning: _, ...body }) {
    return body;
  },

  withCap: (body, cap) => ({ ...body, max_output_tokens: Math.max(LEAST_CAP, cap) }),

  readJson: (answer) => answerOf(answer, listOf(answer["output"])),

  readStream(text) {
    const events = readEvents(text);
    const end = events.findLast((event) => isJson(event["response"]));
    // Some servers leave `output` of the last event empty, and some leave out the single items.
    const done = events.flatMap((event) =>
      event["type"] === "response.output_item.done" && isJson(event["item"]) ? [event["item"]] : [],
    );
    const last = end?.["response"];
    const { status, ...response } = isJson(last) ? last : {};
    const output = listOf(response["output"]);
    return answerOf(
      FINISHING.has(end?.["type"]) ? response : { ...response, status },
      output.length >= done.length ? output : done,
    );
  },

  withUsage(data, change) {
    if (isJson(data["usage"])) return { ...data, usage: change(data["usage"]) };
    const response = data["response"];
    if (!isJson(response) || !isJson(response["usage"])) return undefined;
    return { ...data, response: { ...response, usage: change(response["usage"]) } };
  },
  error: openaiError,

  brokenOff(_, { code, message }) {
    const event = { type: "error", code, message, param: null, sequence_number: 0 };
    return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
  },

  delta(event) {
    const piece = textOf(event["delta"]);
    if (event["type"] === "response.output_text.delta") return { text: piece };
    if (event["type"] === "response.reasoning_summary_text.delta") return { reasoning: piece };
    if (event["type"] === "error") return { error: textOf(event["message"]) ?? JSON.stringify(event) };
    if (event["type"] === "response.failed") return { error: failureOf(event["response"]) };
    return FINISHING.has(event["type"]) ? { isEnd: true } : undefined;
  },

  chat: { fields: { store: false }, cap: undefined },
  isProvider: isOpenai,
  convention: "openai",
  summarizer: ({ addressOf, isSame, ...shared }) =>
    openaiCompatible({ ...shared, baseURL: openaiBase(addressOf), api: isSame ? "responses" : "chat" }),
  movesLaterSystem: false,

  naming: {
    namedIn: (body) => ({
      response: textOf(body["previous_response_id"]),
      conversation: conversationOf(body),
    }),
    rebuilt({ previous_response_id: _, conversation: __, ...body }, before) {
      return { ...body, input: [...before, ...transcriptOf(body["input"])] };
    },
    answerAt: (path) => /^\/v1\/responses\/(\w[^/]*)$/.exec(path)?.[1],
    conversationPath: (id) => `/v1/conversations/${encodeURIComponent(id)}`,
    keeps: (body) => body["store"] !== false,
    passedOver: (answer) => answer["previous_response_id"] === null,
  },
  native: responsesNative,
  hosting: responsesHosting,

  counting: {
    path: "/v1/responses/input_tokens",
    answer: ({ input }) => ({ object: "response.input_tokens", input_tokens: input }),
    ask: askCount(RESPONSES_COUNTING),
    told: ({ input_tokens }) => numberOf(input_tokens),
  },
  compacting: {
    path: "/v1/responses/compact",
    items: (body) => replayItems(transcriptOf(body["input"])),
    answer: compactAnswer,
  },
};

/** Why an answer failed, in the provider's words. */
function failureOf(response: unknown): string {
  const error = isJson(response) ? response["error"] : undefined;
  return (isJson(error) ? textOf(error["message"]) : undefined) ?? "the answer failed.";
}

/** The provider's conversation that a request or an answer names. */
function conversationOf({ conversation }: Json): string | undefined {
  return textOf(isJson(conversation) ? conversation["id"] : conversation);
}

function answerOf(answer: Json, messages: readonly unknown[]): WireAnswer {
  const details = answer["incomplete_details"];
  return {
    messages,
    usage: knownUsage(responsesUsage(answer["usage"])),
    id: textOf(answer["id"]),
    conversation: conversationOf(answer),
    ...(!FINISHED.has(answer["status"]) && { isUnfinished: true }),
    ...(isJson(details) && details["reason"] === "max_output_tokens" && { isCutOff: true }),
  };
}
