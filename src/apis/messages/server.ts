import type { ServedApi } from "../shared/served-api.ts";
import { messagesApi } from "./api.ts";
import { messagesHosting } from "./hosting.ts";
import { messagesNative } from "./native.ts";
import { withLoopThinking, withoutThinking } from "./parts.ts";

/** Anthropic wants a cap; this is what a chat gets that doesn't set one (tokens). */
const DEFAULT_MAX_TOKENS = 4_096;

export const messagesServed: ServedApi = {
  ...messagesApi,
  endMarkers: ["message_stop"],
  withoutThinking,
  withLoopThinking,
  chat: { fields: {}, cap: DEFAULT_MAX_TOKENS },
  isSpokenBy: (headers) => headers["anthropic-version"] !== undefined,
  isProvider: (hostname) => hostname === "api.anthropic.com",
  convention: "anthropic",
  movesLaterSystem: true,
  native: messagesNative,
  hosting: messagesHosting,
  counting: {
    path: "/v1/messages/count_tokens",
    answer: ({ input, original, hasEdits, isBeta }) => ({
      input_tokens: input,
      ...((hasEdits || isBeta) && {
        context_management: hasEdits ? { original_input_tokens: original } : null,
      }),
    }),
  },
};
