import type { ServedApi } from "../shared/api.ts";
import { isJson, type Json, listOf, numberOf } from "../shared/fields.ts";
import {
  createEndBuffer,
  createPlaces,
  type IsHosted,
  type OwnTools,
  openaiChoice,
  type PlainFunction,
  plainFunctionOf,
  type StreamSplice,
  type ToolHosting,
  USUAL_HOSTING,
} from "../shared/hosting.ts";
import { askResponses, responsesApi, transcriptOf } from "./api.ts";
import { openaiResponses } from "./index.ts";
import { compactAnswer, replayItems, responsesNative } from "./native.ts";

/** Events that hold the whole response at the end of a round. */
const ENDS: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete"]);
/** Events at the beginning of a round. */
const BEGINNINGS: ReadonlySet<unknown> = new Set([
  "response.created",
  "response.in_progress",
  "response.queued",
]);

const FUNCTION_FIELDS: ReadonlySet<string> = new Set(["type", "name", "description", "parameters", "strict"]);
const NAMESPACE_FIELDS: ReadonlySet<string> = new Set(["type", "name", "description", "tools"]);

const responsesHosting: ToolHosting = {
  ...USUAL_HOSTING,

  // Nobody waits for such an answer, so nobody could answer its calls.
  refusal: (body) => (body["background"] === true ? "background" : undefined),

  declare: (tool) => ({ type: "function", ...tool, strict: false }),

  plainFunction: (tool) => plainFunction(tool) ?? namespaceOf(tool),

  choice: openaiChoice,

  echo(messages, body) {
    if (body["store"] !== false) return messages;
    // The provider keeps nothing: reasoning without its encrypted content would name something that isn't there.
    const isLost = (item: unknown) =>
      isJson(item) && item["type"] === "reasoning" && item["encrypted_content"] == null;
    if (!messages.some(isLost)) return messages;
    return messages
      .filter((item) => !isLost(item))
      .map((item) => openaiResponses.edit(item as Json, [{ type: "strip-reasoning", why: "old-reasoning" }]));
  },

  results: (results) =>
    results.map(({ id, text }) => ({ type: "function_call_output", call_id: id, output: text })),

  join(answers, own) {
    const output = answers.flatMap((answer) => shownItems(listOf(answer["output"]), own.isHosted));
    return withOwnTools({ ...answers.at(-1), output }, own);
  },

  splice: spliceResponses,
};

const plainFunction = (tool: unknown) =>
  isJson(tool) && tool["type"] === "function" ? plainFunctionOf(tool, FUNCTION_FIELDS) : undefined;

/** Codex declares the tools of a server under its name. */
function namespaceOf(tool: unknown): PlainFunction | undefined {
  if (!isJson(tool) || tool["type"] !== "namespace") return undefined;
  const members = listOf(tool["tools"]).map(plainFunction);
  const named = plainFunctionOf(tool, NAMESPACE_FIELDS);
  return named && members.every((one) => one !== undefined)
    ? { ...named, members: members.map(({ name }) => name) }
    : undefined;
}

function isCall(item: unknown, isHosted: IsHosted): boolean {
  return isJson(item) && item["type"] === "function_call" && isHosted(item["name"]);
}

function shownItems(items: readonly unknown[], isHosted: IsHosted): readonly unknown[] {
  return items.filter((item) => !isCall(item, isHosted));
}

/** A response repeats the tools of its request; the client knows only its own. */
function withOwnTools(response: Json, { isHosted, declared }: OwnTools): Json {
  const { tools } = response;
  if (!Array.isArray(tools)) return response;
  return {
    ...response,
    tools: declared ?? tools.filter((tool) => !(isJson(tool) && isHosted(tool["name"]))),
  };
}

function spliceResponses(own: OwnTools): StreamSplice {
  const { isHosted } = own;
  let isFirst = true;
  let number = 0;
  const places = createPlaces();
  /** Items of the rounds before. */
  const before: unknown[] = [];
  let done: unknown[] = [];
  const buffered = createEndBuffer();
  const numbered = (event: Json): Json =>
    "sequence_number" in event ? { ...event, sequence_number: number++ } : event;
  const bare = (event: Json): Json =>
    isJson(event["response"]) ? { ...event, response: withOwnTools(event["response"], own) } : event;

  /** Some servers leave `output` of the last event empty, and some leave out the single items. */
  const outputOf = (response: unknown): readonly unknown[] => {
    const whole = isJson(response) ? listOf(response["output"]) : [];
    return shownItems(whole.length >= done.length ? whole : done, isHosted);
  };

  return {
    event(event) {
      const { type, item } = event;
      if (BEGINNINGS.has(type)) return isFirst ? [numbered(bare(event))] : [];
      if (ENDS.has(type)) return buffered.hold(event);
      if (type === "response.output_item.done") done.push(item);
      const index = numberOf(event["output_index"]);
      if (index === undefined) return [numbered(bare(event))];
      const place = places.of(index, isCall(item, isHosted));
      return place === undefined ? [] : [numbered({ ...event, output_index: place })];
    },
    forget() {
      done = [];
    },
    nextRound() {
      isFirst = false;
      before.push(...outputOf(buffered.events.at(-1)?.["response"]));
      places.nextRound();
      done = [];
      buffered.clear();
    },
    end() {
      return buffered.events.map((event) => {
        const { response } = event;
        if (!isJson(response)) return numbered(event);
        const output = [...before, ...outputOf(response)];
        return numbered(bare({ ...event, response: { ...response, output } }));
      });
    },
  };
}

export const responsesServed: ServedApi = {
  ...responsesApi,
  endMarkers: ["response.completed", "response.incomplete", "response.failed"],
  withoutThinking: ({ reasoning: _, ...body }) => body,
  brokenOff: ({ code, message }) => ({ type: "error", code, message, param: null, sequence_number: 0 }),
  chat: { fields: { store: false }, cap: undefined },
  asking: askResponses,
  movesLaterSystem: false,
  native: responsesNative,
  hosting: responsesHosting,
  counting: {
    path: "/v1/responses/input_tokens",
    answer: ({ input }) => ({ object: "response.input_tokens", input_tokens: input }),
  },
  compacting: {
    path: "/v1/responses/compact",
    items: (body) => replayItems(transcriptOf(body["input"])),
    answer: compactAnswer,
  },
};
