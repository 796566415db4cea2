import { isOpenai } from "../shared/providers.ts";
import type { ServedApi } from "../shared/served-api.ts";
import { responsesApi, transcriptOf } from "./api.ts";
import { responsesHosting } from "./hosting.ts";
import { compactAnswer, replayItems, responsesNative } from "./native.ts";

export const responsesServed: ServedApi = {
  ...responsesApi,
  endMarkers: ["response.completed", "response.incomplete", "response.failed"],
  withoutThinking: ({ reasoning: _, ...body }) => body,
  brokenOff: ({ code, message }) => ({ type: "error", code, message, param: null, sequence_number: 0 }),
  chat: { fields: { store: false }, cap: undefined },
  isProvider: isOpenai,
  convention: "openai",
  modelApi: "responses",
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
