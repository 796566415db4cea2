import type { GeminiContent } from "../../apis/index.ts";
import { callId, completeBuilders, type MessageBuilders, TINY_PNG } from "./message-builders.ts";

/** What Gemini signs its calls with. */
const SIGNATURE = "c2lnbmVk";

/** Builders for Gemini's `contents`: the results of parallel calls share one message of the user. */
export const gemini: MessageBuilders<GeminiContent> = completeBuilders<GeminiContent>({
  system: (text) => ({ role: "system", content: text }),
  user: (text) => ({ role: "user", parts: [{ text }] }),
  assistant: (text) => ({ role: "model", parts: [{ text }] }),
  image: (text, base64 = TINY_PNG) => ({
    role: "user",
    parts: [
      ...(text === undefined ? [] : [{ text }]),
      { inlineData: { mimeType: "image/png", data: base64 } },
    ],
  }),
  calls: (calls, text) => [
    {
      role: "model",
      parts: [
        ...(text === undefined ? [] : [{ text }]),
        ...calls.map((call, index) => ({
          functionCall: { id: callId(call), name: call.name, args: call.args ?? {} },
          // Of parallel calls, the first one carries the signature.
          ...(index === 0 && { thoughtSignature: SIGNATURE }),
        })),
      ],
    },
  ],
  results: (results) => [
    {
      role: "user",
      parts: results.map(({ id, text, name = id.replace(/^call_/, "") }) => ({
        functionResponse: { id, name, response: { output: text } },
      })),
    },
  ],
  reasoning: (thought, text, signature = "") => [
    {
      role: "model",
      parts: [
        { text: thought, thought: true },
        { text, ...(signature !== "" && { thoughtSignature: signature }) },
      ],
    },
  ],
});
