import type {
  AiSdkMessage,
  AnthropicMessage,
  ChatMessage,
  GeminiContent,
  ResponsesItem,
} from "../apis/index.ts";
import { parseJson } from "../core/json.ts";
import type { DialectId, Message, Part } from "../core/types.ts";

/** A call of a tool, as the builders take it. */
export interface CallSpec {
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly id?: string;
}

/** An answer of a tool, as the builders take it. */
export interface ResultSpec {
  readonly id: string;
  readonly text: string;
  readonly name?: string;
}

/**
 * Writes messages of one dialect in few words. What one message is differs by format (parallel results are one
 * message for Anthropic and several for the others), so `calls`, `results` and `round` return lists.
 */
export interface MessageBuilders<M> {
  /** Chat and AI SDK; Anthropic takes it as `fit({ system })`, so the message form is for tests of `read`. */
  system(text: string): M;
  user(text: string): M;
  assistant(text: string): M;
  /** A user message with a picture, alone or behind a text. */
  image(text?: string, base64?: string): M;
  /** An assistant message with one call. The id defaults to `call_<name>`. */
  call(name: string, args?: CallSpec["args"], id?: string): M;
  /** Parallel calls. */
  calls(calls: readonly CallSpec[], text?: string): M[];
  result(id: string, text: string, name?: string): M;
  /** Answers to parallel calls, in the order given. */
  results(results: readonly ResultSpec[]): M[];
  /** One call and its answer. */
  round(name: string, args: CallSpec["args"], text: string, id?: string): M[];
  /** An assistant text with reasoning; `signature` makes it signed. */
  reasoning(thought: string, text: string, signature?: string): M[];
}

/** The id of a call; one that has none is known by its name. */
export const callId = (call: CallSpec): string => call.id ?? `call_${call.name}`;

/** A 1×1 PNG, so that builders need no file. */
export const TINY_PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Marks a wire message as pinned. */
export function pin<M extends object>(message: M): M & { readonly precis: { readonly pin: true } } {
  return { ...message, precis: { pin: true } };
}

/** Marks a wire message as knowledge. */
export function knowledge<M extends object>(
  message: M,
): M & { readonly precis: { readonly knowledge: true } } {
  return { ...message, precis: { knowledge: true } };
}

/** A part with what its provider signed it with: some formats sign thoughts, Gemini calls and texts. */
type Signed<P = Part> = P & { readonly signature?: string | undefined };
interface Said extends Pick<Message, "role"> {
  readonly parts: readonly Signed[];
}
/** Writes a message as clients of one format do. Nothing here shares code with `src/apis`, which is judged by it. */
type Writer = (message: Said) => object[];

const SIGNATURE = "c2lnbmVk";

function buildersOf<M>(write: Writer): MessageBuilders<M> {
  const all = (role: Said["role"], ...parts: readonly Signed[]) => write({ role, parts }) as M[];
  const textPart = (text: string) => ({ type: "text", text }) as const;
  const textFirst = (text: string | undefined) => (text === undefined ? [] : [textPart(text)]);
  const builders: MessageBuilders<M> = {
    system: (text) => all("system", textPart(text))[0]!,
    user: (text) => all("user", textPart(text))[0]!,
    assistant: (text) => all("assistant", textPart(text))[0]!,
    image: (text, base64 = TINY_PNG) =>
      all("user", ...textFirst(text), { type: "image", source: `data:image/png;base64,${base64}` })[0]!,
    call: (name, args = {}, id = callId({ name })) => builders.calls([{ name, args, id }])[0]!,
    calls: (calls, text) =>
      all(
        "assistant",
        ...textFirst(text),
        ...calls.map((call, nth): Signed => {
          const { name, args = {} } = call;
          // Of parallel calls, the first one carries the signature.
          const signature = nth === 0 ? SIGNATURE : undefined;
          return { type: "tool-call", id: callId(call), name, args: JSON.stringify(args), signature };
        }),
      ),
    result: (id, text, name) => builders.results([{ id, text, ...(name !== undefined && { name }) }])[0]!,
    results: (results) =>
      all(
        "tool",
        ...results.map((one) => ({
          type: "tool-result" as const,
          name: one.id.replace(/^call_/, ""),
          ...one,
        })),
      ),
    round: (name, args, text, id = callId({ name })) => [
      builders.call(name, args, id),
      builders.result(id, text, name),
    ],
    reasoning: (thought, text, signature) =>
      all(
        "assistant",
        { type: "reasoning", text: thought, signed: signature !== undefined, signature },
        { ...textPart(text), signature },
      ),
  };
  return builders;
}

/** Builders for Chat Completions. */
export const chat: MessageBuilders<ChatMessage> = buildersOf(writeChat);
/** Builders for the Responses API: every call and every result is an item of its own. */
export const responses: MessageBuilders<ResponsesItem> = buildersOf(writeResponses);
/** Builders for Anthropic Messages: the results of parallel calls share one user message. */
export const anthropic: MessageBuilders<AnthropicMessage> = buildersOf(writeAnthropic);
/** Builders for AI SDK model messages. */
export const aiSdk: MessageBuilders<AiSdkMessage> = buildersOf(writeAiSdk);
/** Builders for Gemini's `contents`: the results of parallel calls share one message of the user. */
export const gemini: MessageBuilders<GeminiContent> = buildersOf(writeGemini);

/** A transcript on the wire, with the system prompt where the format wants it. */
export interface WireTranscript {
  readonly dialect: DialectId;
  readonly messages: readonly object[];
  readonly system?: string;
}

const WRITERS: Readonly<Record<string, Writer>> = {
  "openai-chat": writeChat,
  "openai-responses": writeResponses,
  "anthropic-messages": writeAnthropic,
  "ai-sdk": writeAiSdk,
  "gemini-contents": (message) => writeGemini(carelessGemini(message)),
};

/** Formats that take the system prompt beside the messages. */
export const SYSTEM_APART = new Set<DialectId>(["anthropic-messages", "openai-responses", "gemini-contents"]);

/**
 * Writes core messages as a careless client of the dialect would. Unlike `encode` of `precis/dialects` it repairs and
 * refuses nothing, so that faults of the core form are still there on the wire.
 */
export function toWire(dialect: DialectId, transcript: readonly Message[]): WireTranscript {
  const writer = WRITERS[dialect];
  if (writer === undefined) throw new Error(`No writer for the dialect "${dialect}".`);
  const said = SYSTEM_APART.has(dialect) ? transcript.findIndex(({ role }) => role !== "system") : 0;
  const start = said < 0 ? transcript.length : said;
  const messages = transcript.slice(start).flatMap(({ role, parts, pinned, knowledge: isKnowledge }) => {
    const signed = parts.map(
      (part): Signed => (part.type === "reasoning" && part.signed ? { ...part, signature: SIGNATURE } : part),
    );
    const written = writer({ role, parts: signed });
    return pinned ? written.map(pin) : isKnowledge ? written.map(knowledge) : written;
  });
  const system = transcript.slice(0, start).map(textOf).join("\n");
  return { dialect, messages, ...(start > 0 && { system }) };
}

/** Some clients of Gemini leave ids out, some only those of results; a later system message has no place in the format. */
function carelessGemini({ role, parts }: Said): Said {
  if (role === "system") return { role: "user", parts: [{ type: "text", text: textOf({ parts }) }] };
  const signature = parts.some((part) => part.type === "reasoning" && part.signed) ? SIGNATURE : undefined;
  const isEven = (id: string) => id.length % 2 === 0;
  const careless = parts.map((part): Signed => {
    if (part.type === "tool-call") return { ...part, signature, id: isEven(part.id) ? part.id : "" };
    return part.type === "tool-result" && isEven(part.id) ? { ...part, id: "" } : part;
  });
  return { role, parts: careless };
}

const textOf = ({ parts }: Pick<Said, "parts">): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");

const parse = (json: string): unknown => {
  const value = parseJson(json);
  return value === undefined ? { text: json } : value;
};

/** An object for formats that want arguments as one. */
const input = (args: string): object => {
  const value = parse(args);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : { value };
};

const base64 = ({ source }: { readonly source: string }) => source.slice(source.indexOf(",") + 1);

/** Whoever says nothing but a text says it without a list around it. */
const contentOf = (content: readonly object[]): unknown => {
  const [only] = content as readonly { readonly type?: unknown; readonly text?: unknown }[];
  return content.length === 1 && only?.type === "text" ? only.text : content;
};

function writeChat({ role, parts }: Said): object[] {
  const results = parts.flatMap((part) =>
    part.type === "tool-result" ? [{ role: "tool", tool_call_id: part.id, content: part.text }] : [],
  );
  if (role === "tool") return results;
  const content = parts.flatMap((part): object[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    if (part.type === "image") return [{ type: "image_url", image_url: { url: part.source } }];
    if (part.type === "file") return [{ type: "file", file: { file_id: part.source, filename: part.name } }];
    if (part.type === "frame") return [{}];
    return part.type === "other" ? [input(part.json)] : [];
  });
  const calls = parts.flatMap((part) =>
    part.type === "tool-call"
      ? [{ id: part.id, type: "function", function: { name: part.name, arguments: part.args } }]
      : [],
  );
  const thoughts = parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : []));
  if (results.length > 0 && content.length === 0 && calls.length === 0) return results;
  const message = {
    role,
    content: content.length === 0 && role === "assistant" ? null : contentOf(content),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(thoughts.length > 0 && { reasoning_content: thoughts.join("\n") }),
  };
  return [...results, message];
}

function writeResponses({ role, parts }: Said): object[] {
  const items: object[] = [];
  let content: object[] = [];
  const flush = () => {
    if (content.length > 0) items.push({ type: "message", role, content });
    content = [];
  };
  for (const part of parts) {
    if (part.type === "text")
      content.push({ type: role === "assistant" ? "output_text" : "input_text", text: part.text });
    else if (part.type === "image")
      content.push({ type: "input_image", image_url: part.source, detail: "auto" });
    else if (part.type === "file") content.push({ type: "input_file", file_id: part.source });
    else {
      flush();
      items.push(itemOf(part));
    }
  }
  flush();
  return items.length > 0 ? items : [{ type: "message", role, content: [] }];
}

function itemOf(part: Exclude<Signed, { readonly type: "text" | "image" | "file" }>): object {
  switch (part.type) {
    case "tool-call":
      return { type: "function_call", call_id: part.id, name: part.name, arguments: part.args };
    case "tool-result":
      return { type: "function_call_output", call_id: part.id, output: part.text };
    case "reasoning":
      return {
        type: "reasoning",
        summary: part.text === "" ? [] : [{ type: "summary_text", text: part.text }],
        ...(part.signed && { encrypted_content: part.signature }),
      };
    case "frame":
      return { type: "frames", count: part.count };
    case "other":
      return input(part.json);
  }
}

function writeAnthropic({ role, parts }: Said): object[] {
  const content = parts.map(anthropicPart);
  return [
    { role: role === "tool" ? "user" : role, content: role === "assistant" ? content : contentOf(content) },
  ];
}

function anthropicPart(part: Signed): object {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image", source: { type: "base64", media_type: "image/png", data: base64(part) } };
    case "file":
      return { type: "document", source: { type: "file", file_id: part.source } };
    case "reasoning":
      return { type: "thinking", thinking: part.text, signature: part.signature ?? "" };
    case "tool-call":
      return { type: "tool_use", id: part.id, name: part.name, input: input(part.args) };
    case "tool-result":
      return { type: "tool_result", tool_use_id: part.id, content: part.text };
    case "frame":
      return { type: "frames", count: part.count };
    case "other":
      return input(part.json);
  }
}

function writeAiSdk({ role, parts }: Said): object[] {
  if (role === "system") return [{ role, content: textOf({ parts }) }];
  const results: object[] = [];
  const content: object[] = [];
  for (const part of parts) {
    if (part.type === "tool-result") {
      const output = { type: "text", value: part.text };
      results.push({ type: "tool-result", toolCallId: part.id, toolName: part.name ?? "tool", output });
    } else if (part.type !== "frame") content.push(aiSdkPart(part));
  }
  if (role === "tool") return [{ role, content: results }];
  const said = role === "assistant" ? content : contentOf(content);
  const own = content.length > 0 || results.length === 0 ? [{ role, content: said }] : [];
  return results.length > 0 ? [{ role: "tool", content: results }, ...own] : own;
}

function aiSdkPart(part: Exclude<Signed, { readonly type: "tool-result" | "frame" }>): object {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image", image: base64(part), mediaType: "image/png" };
    case "file":
      return { type: "file", data: "JVBERi0=", mediaType: "application/pdf", filename: part.name };
    case "tool-call":
      return { type: "tool-call", toolCallId: part.id, toolName: part.name, input: parse(part.args) };
    case "reasoning": {
      const { text, signature } = part;
      const providerOptions = { anthropic: { signature } };
      return { type: "reasoning", text, ...(signature !== undefined && { providerOptions }) };
    }
    case "other":
      return input(part.json);
  }
}

function writeGemini({ role, parts }: Said): object[] {
  if (role === "system") return [{ role, content: textOf({ parts }) }];
  return [{ role: role === "assistant" ? "model" : "user", parts: parts.map(geminiPart) }];
}

function geminiPart(part: Signed): object {
  const signed = part.signature && { thoughtSignature: part.signature };
  switch (part.type) {
    case "text":
      return { text: part.text, ...signed };
    case "image":
      return { inlineData: { mimeType: "image/png", data: base64(part) } };
    case "file":
      return { fileData: { mimeType: "application/pdf", fileUri: part.source } };
    case "reasoning":
      return { text: part.text, thought: true };
    case "tool-call": {
      const id = part.id !== "" && { id: part.id };
      return { functionCall: { ...id, name: part.name, args: input(part.args) }, ...signed };
    }
    case "tool-result": {
      const id = part.id !== "" && { id: part.id };
      return { functionResponse: { ...id, name: part.name ?? "tool", response: { output: part.text } } };
    }
    case "frame":
      return { frames: { count: part.count } };
    case "other":
      return { other: input(part.json) };
  }
}
