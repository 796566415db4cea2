import { parseJson } from "../../core/parse-json.ts";
import type { DialectId, Message, Part } from "../../core/types.ts";

/** A transcript on the wire, with the system prompt where the format wants it. */
export interface WireTranscript {
  readonly dialect: DialectId;
  readonly messages: readonly object[];
  readonly system?: string;
}

const SYSTEM_APART = new Set<DialectId>(["anthropic-messages", "openai-responses", "gemini-contents"]);

/**
 * Writes core messages as a careless client of the dialect would. Unlike `encode` of `precis/dialects` it repairs and
 * refuses nothing, so that faults of the core form are still there on the wire.
 */
export function toWire(dialect: DialectId, transcript: readonly Message[]): WireTranscript {
  const writer = WRITERS[dialect];
  if (writer === undefined) throw new Error(`No writer for the dialect "${dialect}".`);
  let start = 0;
  const systemTexts: string[] = [];
  if (SYSTEM_APART.has(dialect))
    for (; transcript[start]?.role === "system"; start++) systemTexts.push(textOf(transcript[start]!));
  const messages = transcript.slice(start).flatMap((message) => {
    const marker = message.pinned
      ? { precis: { pin: true } }
      : message.knowledge
        ? { precis: { knowledge: true } }
        : undefined;
    const written = writer(message);
    return marker === undefined ? written : written.map((one) => ({ ...one, ...marker }));
  });
  return { dialect, messages, ...(systemTexts.length > 0 && { system: systemTexts.join("\n") }) };
}

const textOf = (message: Message) =>
  message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");

const parse = (json: string): unknown => {
  const value = parseJson(json);
  return value === undefined ? { text: json } : value;
};

const base64 = (part: Part & { readonly source: string }) => part.source.slice(part.source.indexOf(",") + 1);

/** An object for formats that want arguments as one. */
const input = (args: string): object => {
  const value = parse(args);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : { value };
};

const WRITERS: Readonly<Record<string, (message: Message) => object[]>> = {
  "openai-chat": writeChat,
  "openai-responses": writeResponses,
  "anthropic-messages": (message) => [
    {
      role: message.role === "tool" ? "user" : message.role,
      content: message.parts.map((part) => anthropicPart(part)),
    },
  ],
  "ai-sdk": writeAiSdk,
  "gemini-contents": writeGemini,
};

function writeChat({ role, parts }: Message): object[] {
  const results = parts.flatMap((part) =>
    part.type === "tool-result" ? [{ role: "tool", tool_call_id: part.id, content: part.text }] : [],
  );
  if (role === "tool") return results;
  const content = parts.flatMap((part): object[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    if (part.type === "image") return [{ type: "image_url", image_url: { url: part.source } }];
    if (part.type === "file") return [{ type: "file", file: { file_id: part.source, filename: part.name } }];
    return part.type === "other" || part.type === "frame"
      ? [input(part.type === "other" ? part.json : "{}")]
      : [];
  });
  const calls = parts.flatMap((part) =>
    part.type === "tool-call"
      ? [{ id: part.id, type: "function", function: { name: part.name, arguments: part.args } }]
      : [],
  );
  const thoughts = parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : []));
  if (results.length > 0 && content.length === 0 && calls.length === 0) return results;
  const [only] = parts;
  const message = {
    role,
    content:
      parts.length === 1 && only?.type === "text"
        ? only.text
        : content.length > 0
          ? content
          : role === "assistant"
            ? null
            : [],
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(thoughts.length > 0 && { reasoning_content: thoughts.join("\n") }),
  };
  return [...results, message];
}

function writeResponses({ role, parts }: Message): object[] {
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
      if (part.type === "tool-call")
        items.push({ type: "function_call", call_id: part.id, name: part.name, arguments: part.args });
      else if (part.type === "tool-result")
        items.push({ type: "function_call_output", call_id: part.id, output: part.text });
      else if (part.type === "reasoning")
        items.push({
          type: "reasoning",
          summary: part.text === "" ? [] : [{ type: "summary_text", text: part.text }],
          ...(part.signed && { encrypted_content: "c2lnbmVk" }),
        });
      else items.push(part.type === "other" ? input(part.json) : { type: "frames", count: part.count });
    }
  }
  flush();
  return items.length > 0 ? items : [{ type: "message", role, content: [] }];
}

function anthropicPart(part: Part): object {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image", source: { type: "base64", media_type: "image/png", data: base64(part) } };
    case "file":
      return { type: "document", source: { type: "file", file_id: part.source } };
    case "reasoning":
      return part.signed
        ? { type: "thinking", thinking: part.text, signature: "c2lnbmVk" }
        : { type: "thinking", thinking: part.text, signature: "" };
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

function writeAiSdk({ role, parts }: Message): object[] {
  if (role === "system") return [{ role, content: textOf({ role, parts }) }];
  const results = parts.flatMap((part) =>
    part.type === "tool-result"
      ? [
          {
            type: "tool-result",
            toolCallId: part.id,
            toolName: part.name ?? "tool",
            output: { type: "text", value: part.text },
          },
        ]
      : [],
  );
  if (role === "tool") return [{ role, content: results }];
  const content = parts.flatMap((part): object[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    if (part.type === "image") return [{ type: "image", image: base64(part), mediaType: "image/png" }];
    if (part.type === "file")
      return [{ type: "file", data: "JVBERi0=", mediaType: "application/pdf", filename: part.name }];
    if (part.type === "tool-call")
      return [{ type: "tool-call", toolCallId: part.id, toolName: part.name, input: parse(part.args) }];
    if (part.type === "reasoning")
      return [
        {
          type: "reasoning",
          text: part.text,
          ...(part.signed && { providerOptions: { anthropic: { signature: "c2lnbmVk" } } }),
        },
      ];
    return part.type === "other" ? [input(part.json)] : [];
  });
  const own = content.length > 0 || results.length === 0 ? [{ role, content }] : [];
  return results.length > 0 ? [{ role: "tool", content: results }, ...own] : own;
}

/** Some clients of Gemini leave ids out, some only those of results. */
const optionalId = (id: string) => (id.length % 2 === 0 ? { id } : {});

function writeGemini({ role, parts }: Message): object[] {
  // A later system message has no place in this format.
  if (role === "system") return [{ role: "user", parts: [{ text: textOf({ role, parts }) }] }];
  const signed = parts.some((part) => part.type === "reasoning" && part.signed);
  return [
    { role: role === "assistant" ? "model" : "user", parts: parts.map((part) => geminiPart(part, signed)) },
  ];
}

function geminiPart(part: Part, signed: boolean): object {
  switch (part.type) {
    case "text":
      return { text: part.text };
    case "image":
      return { inlineData: { mimeType: "image/png", data: base64(part) } };
    case "file":
      return { fileData: { mimeType: "application/pdf", fileUri: part.source } };
    case "reasoning":
      return { text: part.text, thought: true };
    case "tool-call": {
      const functionCall = { ...optionalId(part.id), name: part.name, args: input(part.args) };
      return { functionCall, ...(signed && { thoughtSignature: "c2lnbmVk" }) };
    }
    case "tool-result":
      return {
        functionResponse: {
          ...optionalId(`${part.id}.`),
          name: part.name ?? "tool",
          response: { output: part.text },
        },
      };
    case "frame":
      return { frames: { count: part.count } };
    case "other":
      return { other: input(part.json) };
  }
}
