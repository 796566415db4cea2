import { ConfigError } from "../core/errors.ts";
import type { Dialect } from "../core/types.ts";
import { aiSdk } from "./ai-sdk/index.ts";
import { openaiChat } from "./chat/index.ts";
import { geminiContents } from "./gemini/index.ts";
import { anthropicMessages } from "./messages/index.ts";
import { openaiResponses } from "./responses/index.ts";

/** Every dialect of precis by its id. */
export const dialects = {
  [openaiChat.id]: openaiChat,
  [openaiResponses.id]: openaiResponses,
  [anthropicMessages.id]: anthropicMessages,
  [aiSdk.id]: aiSdk,
  [geminiContents.id]: geminiContents,
} as Readonly<Record<string, Dialect<unknown>>>;

/** The dialect of that id. */
export function dialectById(id: string): Dialect<unknown> {
  const dialect = Object.hasOwn(dialects, id) ? dialects[id] : undefined;
  if (dialect !== undefined) return dialect;
  throw new ConfigError({
    option: "dialect",
    message: `there is no dialect "${id}".`,
    fix: `Use one of ${Object.keys(dialects).join(", ")}.`,
  });
}
