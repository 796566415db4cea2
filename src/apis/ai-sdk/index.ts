import { isRecord } from "../../core/json.ts";
import type { Dialect } from "../../core/types.ts";
import { dialectOf, withoutMarker } from "../shared/dialect.ts";
import { legalText } from "../shared/fields.ts";
import { edit } from "./edit.ts";
import { type AiSdkMessage, type AiSdkSystem, ID, read } from "./read.ts";

export type { AiSdkMessage, AiSdkSystem, ModelPart } from "./read.ts";

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
export const aiSdk: Dialect<AiSdkMessage, AiSdkSystem> = dialectOf({
  id: ID,
  rules: {
    system: "message",
    laterSystem: "anywhere",
    firstRole: "any",
    results: "direct",
    boundReasoning: true,
  },
  read,
  markerOf: ({ precis, providerOptions }) =>
    precis ?? (isRecord(providerOptions) ? providerOptions.precis : undefined),
  edit,
  isForInterface: (name) => !FIELDS.has(name),
  unmarked,
  write({ role, text: given }) {
    const text = legalText(given);
    return { role, content: role === "system" ? text : [{ type: "text", text }] };
  },
});
