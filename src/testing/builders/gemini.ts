import type { GeminiContent } from "../../dialects/index.ts";
import { callId, type MessageBuilders, TINY_PNG } from "./message-builders.ts";

/** What Gemini signs its calls with. */
const SIGNATURE = "c2lnbmVk";

/** Builders for Gemini's `contents`: the results of parallel calls share one message of the user. */
export const gemini: MessageBuilders<GeminiContent> = {
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
  call: (name, args = {}, id) => gemini.calls([{ name, args, ...(id === undefined ? {} : { id }) }])[0]!,
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
  result: (id, text, name) => gemini.results([{ id, text, ...(name === undefined ? {} : { name }) }])[0]!,
  results: (results) => [
    {
      role: "user",
      parts: results.map(({ id, text, name = id.replace(/^call_/, "") }) => ({
        functionResponse: { id, name, response: { output: text } },
      })),
    },
  ],
  round: (name, args, text, id = `call_${name}`) => [
    gemini.call(name, args, id),
    gemini.result(id, text, name),
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
};
