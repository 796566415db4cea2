import type { ServedApi } from "../shared/api.ts";
import { isJson, type Json, listOf, numberOf } from "../shared/fields.ts";
import {
  createEndBuffer,
  createPlaces,
  type IsHosted,
  type OwnTools,
  plainFunctionOf,
  type StreamSplice,
  type ToolHosting,
  USUAL_HOSTING,
} from "../shared/hosting.ts";
import { askMessages, messagesApi } from "./api.ts";
import { messagesNative } from "./native.ts";
import { partsOf, withLoopThinking, withoutThinking } from "./parts.ts";

/** A function may not have others: a mark of the prompt cache must stay where it is, and `allowed_callers` names another tool. */
const FUNCTION_FIELDS: ReadonlySet<string> = new Set([
  "name",
  "description",
  "input_schema",
  "input_examples",
  "type",
  "strict",
  "eager_input_streaming",
]);

const messagesHosting: ToolHosting = {
  ...USUAL_HOSTING,

  // A mark of the prompt cache on the client's last tool stays where it is: ours are read behind it, and are the same each time.
  declare: ({ name, description, parameters }) => ({ name, description, input_schema: parameters }),

  plainFunction(tool) {
    const isFunction = isJson(tool) && (tool["type"] ?? "custom") === "custom";
    return isFunction ? plainFunctionOf(tool, FUNCTION_FIELDS) : undefined;
  },

  choice({ tool_choice: choice }) {
    const type = isJson(choice) ? choice["type"] : (choice ?? "auto");
    if (type === "auto" || type === "none") return "free";
    return type === "any" ? "any" : "named";
  },

  results: (results) => [
    {
      role: "user",
      content: results.map(({ id, text }) => ({ type: "tool_result", tool_use_id: id, content: text })),
    },
  ],

  // All results of one message stand in the next one.
  joined: (before, after) =>
    isUser(before) && isUser(after)
      ? { ...after, content: [...partsOf(before["content"]), ...partsOf(after["content"])] }
      : undefined,

  join(answers, { isHosted }) {
    const last = answers.at(-1) ?? {};
    const content = answers
      .flatMap(({ content }) => listOf(content))
      .filter((part) => !isCall(part, isHosted));
    return { ...last, content, ...stop(last, content.some(isToolUse)) };
  },

  splice: spliceMessages,
};

function isUser(message: unknown): message is Json {
  return isJson(message) && message["role"] === "user";
}

function isToolUse(part: unknown): part is Json {
  return isJson(part) && part["type"] === "tool_use";
}

function isCall(part: unknown, isHosted: IsHosted): boolean {
  return isToolUse(part) && isHosted(part["name"]);
}

/** What an answer ended with: where all calls were ours, the client has nothing to do. */
function stop(end: Json, hasCalls: boolean): Json {
  return end["stop_reason"] === "tool_use" && !hasCalls ? { stop_reason: "end_turn" } : {};
}

function spliceMessages({ isHosted }: OwnTools): StreamSplice {
  let isFirst = true;
  let hasCalls = false;
  const places = createPlaces();
  /** What the beginning of the newest round told of its input; for the client only its end can. */
  let begun: Json = {};
  const buffered = createEndBuffer();

  return {
    event(event) {
      const { type, message, index: at } = event;
      if (type === "message_start") {
        begun = isJson(message) && isJson(message["usage"]) ? message["usage"] : {};
        return isFirst ? [event] : [];
      }
      if (type === "message_delta" || type === "message_stop") return buffered.hold(event);
      const index = numberOf(at);
      if (index === undefined) return [event];
      const { content_block: block } = event;
      const isOurs = isCall(block, isHosted);
      hasCalls ||= isToolUse(block) && !isOurs;
      const place = places.of(index, isOurs);
      return place === undefined ? [] : [{ ...event, index: place }];
    },
    forget() {},
    nextRound() {
      isFirst = false;
      places.nextRound();
      buffered.clear();
    },
    end() {
      return buffered.events.map((event) => {
        const { delta, usage } = event;
        if (event["type"] !== "message_delta") return event;
        const total = isFirst ? usage : { ...begun, ...(isJson(usage) && usage) };
        return {
          ...event,
          ...(total !== undefined && { usage: total }),
          ...(isJson(delta) && { delta: { ...delta, ...stop(delta, hasCalls) } }),
        };
      });
    },
  };
}

/** Anthropic wants a cap; this is what a chat gets that doesn't set one (tokens). */
const DEFAULT_MAX_TOKENS = 4_096;

export const messagesServed: ServedApi = {
  ...messagesApi,
  endMarkers: ["message_stop"],
  withoutThinking,
  withLoopThinking,
  chat: { fields: {}, cap: DEFAULT_MAX_TOKENS },
  isSpokenBy: (headers) => headers["anthropic-version"] !== undefined,
  asking: askMessages,
  movesLaterSystem: true,
  native: messagesNative,
  hosting: messagesHosting,
  counting: {
    path: "/v1/messages/count_tokens",
    answer: ({ input, original, hasEdits, isBeta }) => ({
      input_tokens: input,
      ...((hasEdits || isBeta) && {
        context_management: hasEdits ? { original_input_tokens: original } : null,
      }),
    }),
  },
};
