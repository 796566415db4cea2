import type { ResponsesItem } from "../../apis/index.ts";
import { callId, completeBuilders, type MessageBuilders, TINY_PNG } from "./message-builders.ts";

const message = (role: string, type: string, text: string): ResponsesItem => ({
  type: "message",
  role,
  content: [{ type, text }],
});

/** Builders for the Responses API: every call and every result is an item of its own. */
export const responses: MessageBuilders<ResponsesItem> = completeBuilders<ResponsesItem>({
  system: (text) => message("system", "input_text", text),
  user: (text) => message("user", "input_text", text),
  assistant: (text) => message("assistant", "output_text", text),
  image: (text, base64 = TINY_PNG) => ({
    type: "message",
    role: "user",
    content: [
      ...(text === undefined ? [] : [{ type: "input_text", text }]),
      { type: "input_image", image_url: `data:image/png;base64,${base64}`, detail: "auto" },
    ],
  }),
  calls: (calls, text) => [
    ...(text === undefined ? [] : [responses.assistant(text)]),
    ...calls.map((call) => ({
      type: "function_call",
      call_id: callId(call),
      name: call.name,
      arguments: JSON.stringify(call.args ?? {}),
    })),
  ],
  results: (results) =>
    results.map(({ id, text }) => ({ type: "function_call_output", call_id: id, output: text })),
  reasoning: (thought, text, signature) => [
    {
      type: "reasoning",
      summary: [{ type: "summary_text", text: thought }],
      ...(signature === undefined ? {} : { encrypted_content: signature }),
    },
    responses.assistant(text),
  ],
});
