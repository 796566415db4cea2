import type { Dialect, InsertMessage } from "../../core/types.ts";
import { legalText } from "../shared/legal-text.ts";
import { reasoningOf } from "../shared/reasoning-of.ts";
import { edit } from "./edit.ts";
import { ID, read } from "./read.ts";
import type { AiSdkMessage } from "./wire.ts";

export type { AiSdkMessage, ModelPart } from "./wire.ts";

/** `ModelMessage` of the AI SDK. The system prompt may stand among the messages or apart. */
export const aiSdk: Dialect<AiSdkMessage> = {
  id: ID,
  rules: {
    system: "message",
    laterSystem: "anywhere",
    firstRole: "any",
    results: "direct",
    boundReasoning: true,
  },
  reasoningOf,
  read,
  edit,
  write: (message: InsertMessage): AiSdkMessage => {
    const text = legalText(message.text);
    return { role: message.role, content: message.role === "system" ? text : [{ type: "text", text }] };
  },
};
