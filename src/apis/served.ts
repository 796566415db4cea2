import { chatServed } from "./chat/server.ts";
import { geminiServed } from "./gemini/server.ts";
import { messagesServed } from "./messages/server.ts";
import { responsesServed } from "./responses/server.ts";
import type { ServedApi } from "./shared/api.ts";

/** The APIs that the gateway serves, the usual one first. */
export const servedApis: readonly [ServedApi, ...ServedApi[]] = [
  chatServed,
  responsesServed,
  messagesServed,
  geminiServed,
];
