/**
 * What stands in a wire message, read by the provider's documents alone. Nothing of precis is used here, so that a
 * misreading of its own can't hide a fault.
 */
export interface Look {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly texts: readonly string[];
  readonly calls: readonly Named[];
  readonly results: readonly Named[];
  readonly thoughts: readonly string[];
  readonly images: number;
  /** Types of the parts, in order. */
  readonly kinds: readonly string[];
}

export interface Named {
  readonly id: string;
  readonly text: string;
}

/**
 * Indexes of a message's round: the assistant's messages in a row, the results behind them, results that came late, and
 * what stands between.
 */
export function roundAt(looks: readonly Look[], index: number): number[] {
  const isResult = (at: number): boolean => (looks[at]?.results.length ?? 0) > 0;
  const isAssistant = (at: number): boolean => looks[at]?.role === "assistant";
  let from = index;
  let to = index;
  for (let size = 0; size <= to - from; ) {
    size = to - from + 1;
    const within = looks.slice(from, to + 1);
    const ids = new Set(within.flatMap(({ calls, results }) => [...calls, ...results].map(({ id }) => id)));
    const isOne = ({ calls, results }: Look): boolean => [...calls, ...results].some(({ id }) => ids.has(id));
    if (ids.size > 0) {
      from = Math.min(from, looks.findIndex(isOne));
      to = Math.max(to, looks.findLastIndex(isOne));
    }
    while (from > 0 && isResult(from)) from--;
    while (isAssistant(from) && isAssistant(from - 1)) from--;
    while (isAssistant(to) && isAssistant(to + 1)) to++;
    while (isResult(to + 1)) to++;
  }
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

type Fields = Readonly<Record<string, unknown>>;

export function look(dialect: string, message: object): Look {
  const reader = READERS[dialect];
  if (reader === undefined) throw new Error(`No reader for "${dialect}".`);
  return reader(message as Fields);
}

const list = (value: unknown): Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);
const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value ?? ""));
const roleOf = (role: unknown): Look["role"] => (role === "developer" ? "system" : (role as Look["role"]));

/** A string as one text part, so that both shapes are read alike. */
const partsOf = (content: unknown, type = "text"): Fields[] =>
  typeof content === "string" ? (content === "" ? [] : [{ type, text: content }]) : list(content);

const textsOf = (parts: readonly Fields[], ...types: string[]): string[] =>
  parts.filter(({ type }) => types.includes(type as string)).map((part) => text(part["text"]));

const imagesIn = (parts: readonly Fields[], ...types: string[]): number =>
  parts.filter(({ type }) => types.includes(type as string)).length;

function lookAtChat(message: Fields): Look {
  const parts = partsOf(message["content"]);
  const texts = textsOf(parts, "text");
  const isResult = message["role"] === "tool";
  const thought = message["reasoning_content"];
  return {
    role: roleOf(message["role"]),
    texts: isResult ? [] : texts,
    calls: list(message["tool_calls"]).map(({ id, function: called }) => {
      const { name, arguments: args } = called as Fields;
      return { id: text(id), text: text(name) + text(args) };
    }),
    results: isResult ? [{ id: text(message["tool_call_id"]), text: texts.join("") }] : [],
    thoughts: thought === undefined ? [] : [text(thought)],
    images: imagesIn(parts, "image_url"),
    kinds: parts.map(({ type }) => text(type)),
  };
}

function lookAtAnthropic(message: Fields): Look {
  const parts = partsOf(message["content"]);
  const inner = parts.flatMap((part) => (part["type"] === "tool_result" ? partsOf(part["content"]) : []));
  return {
    role: roleOf(message["role"]),
    texts: textsOf(parts, "text"),
    calls: parts
      .filter(({ type }) => type === "tool_use")
      .map(({ id, name, input }) => ({ id: text(id), text: text(name) + JSON.stringify(input) })),
    results: parts
      .filter(({ type }) => type === "tool_result")
      .map((part) => ({
        id: text(part["tool_use_id"]),
        text: textsOf(partsOf(part["content"]), "text").join(""),
      })),
    thoughts: parts
      .filter(({ type }) => type === "thinking")
      .map(({ thinking, signature }) => `${text(thinking)} ${text(signature)}`),
    images: imagesIn([...parts, ...inner], "image"),
    kinds: parts.map(({ type }) => text(type)),
  };
}

function lookAtResponses(item: Fields): Look {
  const type = text(item["type"] ?? "message");
  const nothing = { texts: [], calls: [], results: [], thoughts: [], images: 0, kinds: [type] };
  if (type === "function_call") {
    const call = { id: text(item["call_id"]), text: text(item["name"]) + text(item["arguments"]) };
    return { ...nothing, role: "assistant", calls: [call] };
  }
  if (type === "function_call_output") {
    const parts = partsOf(item["output"], "input_text");
    const result = { id: text(item["call_id"]), text: textsOf(parts, "input_text").join("") };
    return { ...nothing, role: "tool", results: [result], images: imagesIn(parts, "input_image") };
  }
  if (type === "reasoning")
    return {
      ...nothing,
      role: "assistant",
      thoughts: [textsOf(list(item["summary"]), "summary_text").join("")],
    };
  const parts = partsOf(item["content"], "input_text");
  return {
    ...nothing,
    role: roleOf(item["role"]),
    texts: textsOf(parts, "input_text", "output_text"),
    images: imagesIn(parts, "input_image"),
  };
}

function lookAtSdk(message: Fields): Look {
  const parts = partsOf(message["content"]);
  return {
    role: roleOf(message["role"]),
    texts: textsOf(parts, "text"),
    calls: parts
      .filter(({ type }) => type === "tool-call")
      .map(({ toolCallId, toolName, input }) => ({
        id: text(toolCallId),
        text: text(toolName) + JSON.stringify(input),
      })),
    results: parts
      .filter(({ type }) => type === "tool-result")
      .map(({ toolCallId, output }) => ({ id: text(toolCallId), text: sdkResult(output as Fields) })),
    thoughts: parts.filter(({ type }) => type === "reasoning").map((part) => text(part["text"])),
    images: imagesIn(parts, "image"),
    kinds: parts.map(({ type }) => text(type)),
  };
}

function sdkResult({ type, value }: Fields): string {
  return type === "content" ? textsOf(list(value), "text").join("") : text(value);
}

function lookAtGemini(message: Fields): Look {
  const parts = list(message["parts"]);
  const calls = parts.filter((part) => part["functionCall"] !== undefined);
  const results = parts.flatMap((part) => {
    const result = part["functionResponse"] as Fields | undefined;
    return result === undefined ? [] : [result];
  });
  const inner = results.flatMap((result) => list(result["parts"]));
  return {
    role: message["role"] === "model" ? "assistant" : "user",
    texts: parts
      .filter((part) => part["text"] !== undefined && part["thought"] !== true)
      .map((part) => text(part["text"])),
    calls: calls.map((part) => {
      const { id, name, args } = part["functionCall"] as Fields;
      return { id: text(id), text: text(name) + JSON.stringify(args ?? {}) };
    }),
    results: results.map(({ id, response }) => ({
      id: text(id),
      text: Object.values(response as Fields)
        .map(text)
        .join(""),
    })),
    thoughts: calls.flatMap((part) =>
      part["thoughtSignature"] === undefined ? [] : [text(part["thoughtSignature"])],
    ),
    images: [...parts, ...inner].filter((part) => part["inlineData"] !== undefined).length,
    kinds: parts.map((part) => Object.keys(part)[0]!),
  };
}

const READERS: Readonly<Record<string, (message: Fields) => Look>> = {
  "openai-chat": lookAtChat,
  "anthropic-messages": lookAtAnthropic,
  "openai-responses": lookAtResponses,
  "ai-sdk": lookAtSdk,
  "gemini-contents": lookAtGemini,
};
