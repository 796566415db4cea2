import { isRecord } from "../../core/json.ts";
import type { Dialect, InsertMessage } from "../../core/types.ts";
import { withFieldEdit } from "../shared/edit.ts";
import { legalText } from "../shared/legal-text.ts";
import { withoutMarker } from "../shared/reading.ts";
import { reasoningOf } from "../shared/reasoning.ts";
import { edit } from "./edit.ts";
import { ID, read } from "./read.ts";
import type { AiSdkMessage, AiSdkSystem } from "./wire.ts";

export type { AiSdkMessage, AiSdkSystem, ModelPart } from "./wire.ts";

/** All that a message may have. */
const FIELDS: ReadonlySet<string> = new Set(["role", "content", "providerOptions"]);

/** The marker may also stand among the options of providers. */
function unmarked(message: AiSdkMessage): AiSdkMessage {
  const { providerOptions } = message;
  if (!isRecord(providerOptions) || !("precis" in providerOptions)) return withoutMarker(message);
  const { precis: _, ...others } = providerOptions;
  const { providerOptions: __, ...rest } = withoutMarker(message);
  return Object.keys(others).length === 0 ? rest : { ...rest, providerOptions: others };
}

/** `ModelMessage` of the AI SDK. The system prompt may stand among the messages or apart. */
export const aiSdk: Dialect<AiSdkMessage, AiSdkSystem> = {
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
  edit: withFieldEdit(edit, (name) => !FIELDS.has(name)),
  unmarked,
  write: (message: InsertMessage): AiSdkMessage => {
    const text = legalText(message.text);
    return { role: message.role, content: message.role === "system" ? text : [{ type: "text", text }] };
  },
};
