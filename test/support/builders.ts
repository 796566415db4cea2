import { aiSdk, anthropic, chat, gemini, type MessageBuilders, responses } from "../../src/testing/index.ts";

/** The builders of every dialect, with their message types forgotten. */
export const BUILDERS: Readonly<Record<string, MessageBuilders<object>>> = {
  "openai-chat": chat,
  "openai-responses": responses,
  "anthropic-messages": anthropic,
  "ai-sdk": aiSdk,
  "gemini-contents": gemini,
};
