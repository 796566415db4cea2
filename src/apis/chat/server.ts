import { isGoogle, isOpenai } from "../shared/providers.ts";
import type { ServedApi } from "../shared/served-api.ts";
import { chatApi } from "./api.ts";
import { chatHosting } from "./hosting.ts";

export const chatServed: ServedApi = {
  ...chatApi,
  endMarkers: ["[DONE]"],
  withoutThinking: ({ thinking: _, reasoning: __, reasoning_effort: ___, ...body }) => body,
  chat: { fields: { stream_options: { include_usage: true } }, cap: undefined },
  // Google imitates it beside its own API.
  isProvider: (hostname) => isOpenai(hostname) || isGoogle(hostname),
  convention: "openai",
  movesLaterSystem: false,
  hosting: chatHosting,
};
