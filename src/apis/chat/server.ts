import type { ServedApi } from "../shared/api.ts";
import { isJson, type Json, listOf, numberOf, textOf } from "../shared/fields.ts";
import {
  createEndBuffer,
  type OwnTools,
  openaiChoice,
  plainFunctionOf,
  type StreamSplice,
  type ToolHosting,
  USUAL_HOSTING,
} from "../shared/hosting.ts";
import { GOOGLE, OPENAI } from "../shared/providers.ts";
import { askChat, chatApi } from "./api.ts";

/** Stands between the words of two rounds, which are one text for the client. */
const BETWEEN = "\n\n";
/** Fields of an answer that are put together over the rounds. */
const TEXT_FIELDS = ["content", "reasoning_content", "reasoning", "reasoning_text"] as const;
const LIST_FIELDS = ["reasoning_details", "thinking_blocks", "annotations"] as const;
/** Fields that only answers have: servers that imitate OpenAI refuse them in requests. */
const ANSWER_ONLY: ReadonlySet<string> = new Set(["annotations"]);
const CALLS = "tool_calls";
const FUNCTION_FIELDS: ReadonlySet<string> = new Set(["name", "description", "parameters", "strict"]);

const chatHosting: ToolHosting = {
  ...USUAL_HOSTING,

  refusal(body) {
    // The older form of tools can't be mixed with the newer one.
    if (body["functions"] !== undefined) return "functions";
    return (numberOf(body["n"]) ?? 1) > 1 ? "several-answers" : undefined;
  },

  declare: ({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }),

  nameOf: toolName,

  plainFunction(tool) {
    if (!isJson(tool) || tool["type"] !== "function" || Object.keys(tool).length !== 2) return undefined;
    return plainFunctionOf(tool["function"], FUNCTION_FIELDS);
  },

  choice: openaiChoice,

  echo: (messages) =>
    messages.map((message) =>
      isJson(message)
        ? Object.fromEntries(
            Object.entries(message).filter(
              ([name, value]) => (value !== null || name === "content") && !ANSWER_ONLY.has(name),
            ),
          )
        : message,
    ),

  results: (results) => results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text })),

  join(answers, { isHosted }) {
    const last = answers.at(-1) ?? {};
    const messages = answers.map(messageOf);
    const message: Record<string, unknown> = { ...messages.at(-1) };
    for (const field of TEXT_FIELDS) {
      const texts = messages.flatMap((one) => textOf(one[field]) || []);
      if (texts.length > 0) message[field] = texts.join(BETWEEN);
    }
    for (const field of LIST_FIELDS) {
      const lists = messages.flatMap((one) => listOf(one[field]));
      if (lists.length > 0) message[field] = lists;
    }
    const all = messages.flatMap((one) => listOf(one[CALLS]));
    const calls = all.filter((call) => !isHosted(calledName(call)));
    if (calls.length > 0) message[CALLS] = calls;
    else if (all.length > 0) {
      delete message[CALLS];
      // An answer without calls says something, be it nothing.
      message["content"] ??= "";
    }
    const [choice, ...others] = listOf(last["choices"]);
    if (!isJson(choice)) return last;
    return { ...last, choices: [{ ...choice, message, ...finish(choice, calls.length > 0) }, ...others] };
  },

  splice: spliceChat,
  streamEnd: "data: [DONE]\n\n",
};

function toolName(tool: unknown): unknown {
  if (!isJson(tool)) return undefined;
  const named = tool["function"] ?? tool["custom"];
  return isJson(named) ? named["name"] : undefined;
}

/** A call names its tool as the list of tools does. */
const calledName = toolName;

function messageOf(answer: Json): Json {
  const choice = listOf(answer["choices"])[0];
  const message = isJson(choice) ? choice["message"] : undefined;
  return isJson(message) ? message : {};
}

/** What an answer ended with: where all calls were ours, the client has nothing to do. */
function finish(choice: Json, hasCalls: boolean): Json {
  return choice["finish_reason"] === "tool_calls" && !hasCalls ? { finish_reason: "stop" } : {};
}

function spliceChat({ isHosted }: OwnTools): StreamSplice {
  /** Fields that name the answer: the first round's for all. */
  let head: Json | undefined;
  let isFirst = true;
  let text = "";
  let isBetween = false;
  let shownCalls = 0;
  /** Where the calls of this round stand for the client; undefined: they are ours. */
  let places = new Map<number, number | undefined>();
  /** Pieces of calls that haven't said their names. */
  const waiting = new Map<number, Json[]>();
  const buffered = createEndBuffer();

  /** The pieces of calls that the client gets. Until a call has said its name, nobody knows whose it is. */
  const callsOf = (pieces: readonly unknown[]): readonly Json[] =>
    pieces.filter(isJson).flatMap((piece) => {
      // Servers that send whole calls may leave out their places.
      const index = numberOf(piece["index"]) ?? places.size;
      const all = waiting.get(index) ?? [];
      all.push(piece);
      const name = textOf(calledName(piece)) ?? "";
      if (!places.has(index) && name === "") {
        waiting.set(index, all);
        return [];
      }
      waiting.delete(index);
      if (!places.has(index)) places.set(index, isHosted(name) ? undefined : shownCalls++);
      const place = places.get(index);
      return place === undefined ? [] : all.map((one) => ({ ...one, index: place }));
    });

  const deltaOf = ({ role, content, [CALLS]: calls, ...rest }: Json): Json => {
    const piece = textOf(content);
    const isGap = isBetween && piece !== undefined && piece !== "";
    const said = isGap ? BETWEEN + piece : piece;
    if (isGap) isBetween = false;
    if (said !== undefined) text = (text + said).slice(-BETWEEN.length);
    const shown = callsOf(listOf(calls));
    return {
      ...(role !== undefined && isFirst && { role }),
      ...(content !== undefined && (isFirst || said) && { content: said ?? content }),
      ...(shown.length > 0 && { [CALLS]: shown }),
      ...(isFirst ? rest : Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))),
    };
  };

  return {
    event(event) {
      const [choice, ...others] = listOf(event["choices"]);
      if (event["error"] != null) return [event];
      const { id, created } = event;
      head ??= { ...(id !== undefined && { id }), ...(created !== undefined && { created }) };
      // Usage alone: it belongs to the end.
      if (!isJson(choice)) return buffered.hold(event);
      const given = choice["delta"];
      const delta = isJson(given) ? deltaOf(given) : {};
      const named = { ...event, ...head };
      const ends = choice["finish_reason"] != null;
      const freed = ends ? buffered.hold({ ...named, choices: [{ ...choice, delta: {} }, ...others] }) : [];
      const isEmpty = Object.keys(delta).length === 0;
      if (isEmpty) return freed;
      const { usage: _, ...bare } = named;
      return [
        ...freed,
        {
          ...(ends ? bare : named),
          choices: [{ ...choice, delta, ...(ends && { finish_reason: null }) }, ...others],
        },
      ];
    },
    forget: () => waiting.clear(),
    nextRound() {
      isFirst = false;
      isBetween = text.trim() !== "";
      places = new Map();
      buffered.clear();
    },
    end() {
      return buffered.events.map((event) => {
        const [choice, ...others] = listOf(event["choices"]);
        if (!isJson(choice)) return { ...event, ...head };
        return { ...event, choices: [{ ...choice, ...finish(choice, shownCalls > 0) }, ...others] };
      });
    },
  };
}

export const chatServed: ServedApi = {
  ...chatApi,
  endMarkers: ["[DONE]"],
  withoutThinking: ({ thinking: _, reasoning: __, reasoning_effort: ___, ...body }) => body,
  chat: { fields: { stream_options: { include_usage: true } }, cap: undefined },
  // Google imitates it beside its own API.
  isAt: (hostname) => OPENAI.isAt(hostname) || GOOGLE.isAt(hostname),
  asking: askChat,
  movesLaterSystem: false,
  hosting: chatHosting,
};
