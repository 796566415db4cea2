import { isGoogle } from "../shared/providers.ts";
import type { ServedApi } from "../shared/served-api.ts";
import { askedByPath, geminiApi, isGeminiPath, withConfig } from "./api.ts";
import { geminiHosting } from "./hosting.ts";
import { fieldOf } from "./wire.ts";

export const geminiServed: ServedApi = {
  ...geminiApi,
  // Its streams just end: the last chunk looks like the others.
  endMarkers: [],
  streamsLists: true,
  routing: {
    isAt: isGeminiPath,
    routeOf(path) {
      const asked = askedByPath(path);
      return asked && (asked.method === "countTokens" ? "count" : "answer");
    },
    written: [
      ["/v1beta/models/MODEL:generateContent", "answer"],
      ["/v1beta/models/MODEL:streamGenerateContent", "answer"],
      ["/v1beta/models/MODEL:countTokens", "count"],
    ],
    streamPath: (model) => `/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`,
  },
  withoutThinking: (body) =>
    withConfig(body, ({ thinkingConfig: _, thinking_config: __, ...config }) => config),
  chat: {
    fields: {},
    cap: undefined,
    request: ({ temperature }) => (temperature === undefined ? {} : { generationConfig: { temperature } }),
  },
  isSpokenBy: (headers) => headers["x-goog-api-key"] !== undefined,
  isProvider: isGoogle,
  convention: "gemini",
  movesLaterSystem: false,
  hosting: geminiHosting,
  // What the provider has in its cache stands before everything else, and nobody else knows it.
  isPartial: (body) => typeof fieldOf(body, "cachedContent") === "string",
  counting: {
    path: "/v1beta/models",
    answer: ({ input }) => ({
      totalTokens: input,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: input }],
    }),
  },
};
