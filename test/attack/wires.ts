import type { Call, Conversation, Round, Said, Shape, Turn } from "./conversation.ts";

/** A conversation on the wire of one provider. */
export interface Wire {
  readonly messages: object[];
  /** Where the format keeps the system prompt apart. */
  readonly system?: string;
}

/** Whether the format keeps the system prompt apart from the messages. */
export const SYSTEM_APART: Readonly<Record<string, boolean>> = {
  "openai-chat": false,
  "openai-responses": true,
  "anthropic-messages": true,
  "ai-sdk": false,
  "gemini-contents": true,
};

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PIXEL_URL = `data:image/png;base64,${PIXEL}`;

/** Writes the conversation as a client of the provider would send it. */
export function writeWire(dialect: string, conversation: Conversation): Wire {
  const format = FORMATS[dialect];
  if (format === undefined) throw new Error(`No format "${dialect}".`);
  const messages: object[] = [];
  const { system, turns } = conversation;
  const isSystemApart = SYSTEM_APART[dialect]!;
  if (system !== undefined && !isSystemApart) messages.push({ role: "system", content: system });
  for (const turn of turns) messages.push(...writeTurn(format, turn));
  return { messages, ...(isSystemApart && system !== undefined && { system }) };
}

interface Format {
  /** Undefined where instructions can't stand among the messages. */
  instruction?(text: string): object;
  user(said: Said): object;
  answer(said: Said): object;
  calls(round: Round): object[];
  results(calls: readonly Call[]): object[];
}

function writeTurn(format: Format, { later, user, rounds, answer }: Turn): object[] {
  const messages: object[] = [];
  if (later !== undefined && format.instruction) messages.push(format.instruction(later));
  messages.push(format.user(user));
  let late: Call[] = [];
  for (const round of rounds) {
    const inTime = round.calls.flatMap((call) => {
      if (call.fault === "twice") return [call, call];
      return call.fault === "none" ? [call] : [];
    });
    messages.push(...format.calls(round));
    if (inTime.length > 0) messages.push(...format.results(inTime));
    if (late.length > 0) messages.push(...format.results(late));
    late = round.calls.filter(({ fault }) => fault === "late");
  }
  if (answer !== undefined) messages.push(format.answer(answer));
  if (late.length > 0) messages.push(...format.results(late));
  return messages;
}

/** The text as one part, or as two that together say the same. */
function pieces(text: string, shape: Shape): string[] {
  const half = text.indexOf(" ", text.length / 2);
  return shape === "pieces" && half > 0 && text.slice(half).trim() !== "" && text.slice(0, half).trim() !== ""
    ? [text.slice(0, half), text.slice(half)]
    : [text];
}

const parts = (type: string, text: string, shape: Shape): object[] =>
  pieces(text, shape).map((piece) => ({ type, text: piece }));

const plainOr = (type: string, { text, images, shape }: Said, image: object): string | object[] =>
  shape === "text" && images === 0
    ? text
    : [...parts(type, text, shape), ...Array.from({ length: images }, () => image)];

const chatImage = { type: "image_url", image_url: { url: PIXEL_URL, detail: "low" } };

const chat: Format = {
  instruction: (content) => ({ role: "developer", content }),
  user: (said) => ({ role: "user", content: plainOr("text", said, chatImage) }),
  answer: ({ text, shape }) => ({
    role: "assistant",
    content: shape === "list" ? parts("text", text, shape) : text,
  }),
  calls: ({ say, think, calls, shape }) => [
    {
      role: "assistant",
      content: say ?? (shape === "list" ? "" : null),
      ...(think !== undefined && { reasoning_content: think }),
      tool_calls: calls.map(({ id, name, args }) => ({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(args) },
      })),
    },
  ],
  results: (calls) =>
    calls.map(({ id, result, shape }) => ({
      role: "tool",
      tool_call_id: id,
      content: shape === "text" ? result : parts("text", result, shape),
    })),
};

const anthropicImage = { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } };

const anthropic: Format = {
  user: (said) => ({ role: "user", content: plainOr("text", said, anthropicImage) }),
  answer: ({ text, shape }) => ({
    role: "assistant",
    content: shape === "text" ? text : parts("text", text, shape),
  }),
  calls: ({ say, think, calls }) => [
    {
      role: "assistant",
      content: [
        ...(think === undefined ? [] : [{ type: "thinking", thinking: think, signature: `sig-${think}` }]),
        ...(say === undefined ? [] : [{ type: "text", text: say }]),
        ...calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
      ],
    },
  ],
  results: (calls) => [
    {
      role: "user",
      content: calls.map(({ id, result, shape, failed, image }) => ({
        type: "tool_result",
        tool_use_id: id,
        content:
          shape === "text" && !image
            ? result
            : [...parts("text", result, shape), ...(image ? [anthropicImage] : [])],
        ...(failed && { is_error: true }),
      })),
    },
  ],
};

const responsesImage = { type: "input_image", image_url: PIXEL_URL, detail: "low" };

const responses: Format = {
  instruction: (content) => ({ type: "message", role: "developer", content }),
  user: (said) => ({ role: "user", content: plainOr("input_text", said, responsesImage) }),
  answer: ({ text }) => ({
    type: "message",
    role: "assistant",
    id: `msg_${text.split(" ")[0]}`,
    status: "completed",
    content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
  }),
  calls: ({ say, think, calls }) => [
    ...(think === undefined
      ? []
      : [
          {
            type: "reasoning",
            id: `rs_${calls[0]!.id}`,
            summary: [{ type: "summary_text", text: think }],
            encrypted_content: "c2VhbGVk",
          },
        ]),
    ...(say === undefined
      ? []
      : [
          {
            type: "message",
            role: "assistant",
            id: `msg_${calls[0]!.id}`,
            status: "completed",
            content: [{ type: "output_text", text: say, annotations: [], logprobs: [] }],
          },
        ]),
    ...calls.map(({ id, name, args }) => ({
      type: "function_call",
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: JSON.stringify(args),
      status: "completed",
    })),
  ],
  results: (calls) =>
    calls.map(({ id, result, shape, image }) => ({
      type: "function_call_output",
      call_id: id,
      output:
        shape === "text" && !image
          ? result
          : [...parts("input_text", result, shape), ...(image ? [responsesImage] : [])],
    })),
};

const sdkImage = { type: "image", image: PIXEL_URL, mediaType: "image/png" };

const sdk: Format = {
  instruction: (content) => ({ role: "system", content }),
  user: (said) => ({ role: "user", content: plainOr("text", said, sdkImage) }),
  answer: ({ text, shape }) => ({
    role: "assistant",
    content: shape === "text" ? text : parts("text", text, shape),
  }),
  calls: ({ say, think, calls }) => [
    {
      role: "assistant",
      content: [
        ...(think === undefined ? [] : [{ type: "reasoning", text: think }]),
        ...(say === undefined ? [] : [{ type: "text", text: say }]),
        ...calls.map(({ id, name, args }) => ({
          type: "tool-call",
          toolCallId: id,
          toolName: name,
          input: args,
        })),
      ],
    },
  ],
  results: (calls) => [
    {
      role: "tool",
      content: calls.map((call) => ({
        type: "tool-result",
        toolCallId: call.id,
        toolName: call.name,
        output: sdkOutput(call),
      })),
    },
  ],
};

function sdkOutput({ result, shape, failed }: Call): object {
  if (failed) return { type: "error-text", value: result };
  if (shape === "text") return { type: "text", value: result };
  if (shape === "list") return { type: "content", value: [{ type: "text", text: result }] };
  return { type: "json", value: { out: result } };
}

const geminiTexts = (text: string, shape: Shape): object[] =>
  pieces(text, shape).map((piece) => ({ text: piece }));

const geminiImage = { inlineData: { mimeType: "image/png", data: PIXEL } };

const gemini: Format = {
  user: ({ text, images, shape }) => ({
    role: "user",
    parts: [...geminiTexts(text, shape), ...Array.from({ length: images }, () => geminiImage)],
  }),
  answer: ({ text, shape }) => ({ role: "model", parts: geminiTexts(text, shape) }),
  calls: ({ say, think, calls }) => [
    {
      role: "model",
      parts: [
        ...(say === undefined ? [] : [{ text: say }]),
        // Of parallel calls the first one is signed.
        ...calls.map(({ id, name, args }, nth) => ({
          functionCall: { id, name, args },
          ...(think !== undefined && nth === 0 && { thoughtSignature: `sig-${id}` }),
        })),
      ],
    },
  ],
  results: (calls) => [
    {
      role: "user",
      parts: calls.map(({ id, name, result, failed, image }) => ({
        functionResponse: {
          id,
          name,
          response: failed ? { error: result } : { output: result },
          ...(image && { parts: [geminiImage] }),
        },
      })),
    },
  ],
};

const FORMATS: Readonly<Record<string, Format>> = {
  "openai-chat": chat,
  "anthropic-messages": anthropic,
  "gemini-contents": gemini,
  "openai-responses": responses,
  "ai-sdk": sdk,
};
