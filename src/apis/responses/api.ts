import type { Dialect, StopReason } from "../../core/types.ts";
import type { Api } from "../shared/api.ts";
import { isJson, type Json, listOf, obj, objectsOf, textOf } from "../shared/fields.ts";
import { OPENAI, openaiError } from "../shared/providers.ts";
import { askingBy, countingBehind, requestsBy } from "../shared/request.ts";
import { knownUsage, responsesUsage } from "../shared/usage.ts";
import { openaiResponses } from "./index.ts";

const REQUESTS = requestsBy({
  messages: "input",
  system: "instructions",
  tools: ["tools"],
  caps: ["max_output_tokens"],
  leastCap: 16,
});

/** How a response may stand that holds its answer; a cut one does, too. */
const FINISHED: ReadonlySet<unknown> = new Set([undefined, null, "completed", "incomplete"]);
/** Events that say the same, whatever the response in them says. */
const FINISHING: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete"]);

/** OpenAI's Responses. */
export const responsesApi: Api = {
  api: "responses",
  provider: OPENAI,
  path: "/v1/responses",
  dialect: openaiResponses as Dialect<unknown>,
  ...REQUESTS,

  read(body) {
    const { input } = body;
    if (input !== undefined && typeof input !== "string" && !Array.isArray(input)) return undefined;
    return REQUESTS.read({ ...body, input: transcriptOf(input) });
  },
  lack: "`input` is neither a text nor a list.",

  readAnswer(answer) {
    const { output } = answer;
    const isFinished = Array.isArray(output) && FINISHED.has(answer["status"]);
    return {
      messages: listOf(output),
      usage: knownUsage(responsesUsage(answer["usage"])),
      stop: stopOf(answer),
      id: textOf(answer["id"]),
      model: textOf(answer["model"]),
      conversation: conversationOf(answer),
      ...(!isFinished && { isUnfinished: true }),
    };
  },

  assemble(events) {
    const end = events.findLast((event) => isJson(event["response"]));
    // Some servers leave `output` of the last event empty, and some leave out the single items.
    const done = events.flatMap((event) =>
      event["type"] === "response.output_item.done" && isJson(event["item"]) ? [event["item"]] : [],
    );
    const response = obj(end?.["response"]);
    const output = listOf(response["output"]);
    return {
      ...response,
      ...(FINISHING.has(end?.["type"]) && { status: String(end?.["type"]).slice("response.".length) }),
      output: output.length >= done.length ? output : done,
    };
  },

  readEvent(event) {
    const { type, response } = event;
    const piece = textOf(event["delta"]);
    if (type === "response.output_text.delta") return { text: piece };
    if (type === "response.reasoning_summary_text.delta") return { reasoning: piece };
    if (!FINISHING.has(type)) return undefined;
    return { isEnd: true, stop: stopOf(obj(response)), usage: responsesUsage(obj(response)["usage"]) };
  },

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

  counts: countingBehind("/input_tokens", [
    ...["model", "input", "instructions", "tools", "tool_choice", "reasoning", "text"],
  ]),

  error: openaiError,
};

/** A text alone is one message of the user. */
export function transcriptOf(input: unknown): readonly unknown[] {
  return typeof input === "string" ? [{ role: "user", content: input }] : listOf(input);
}

/** The provider's conversation that a request or an answer names. */
function conversationOf({ conversation }: Json): string | undefined {
  return textOf(isJson(conversation) ? conversation["id"] : conversation);
}

function stopOf(answer: Json): StopReason {
  const { reason } = obj(answer["incomplete_details"]);
  if (reason === "max_output_tokens") return "length";
  const isRefused = objectsOf(answer["output"])
    .flatMap((item) => objectsOf(item["content"]))
    .some((part) => part["type"] === "refusal");
  if (isRefused || reason === "content_filter") return "refusal";
  return answer["status"] == null || answer["status"] === "completed" ? "end" : "other";
}

export const askResponses = askingBy(responsesApi, {
  // `truncation` would leave out messages unseen.
  shaping: [
    ...["background", "include", "top_logprobs", "metadata", "truncation", "stream_options"],
    ...["presence_penalty", "frequency_penalty"],
  ],
  append: (messages, { role, text }) => [...messages, { role, content: text }],
  before: ({ input }) => (input === undefined ? undefined : transcriptOf(input)),
  fields: ({ name }, given) => ({
    ...(!given && { metadata: { name } }),
    // What is summarised is somebody's conversation: it isn't kept at the provider.
    store: false,
  }),
});
