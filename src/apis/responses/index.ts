import type { Dialect } from "../../core/types.ts";
import { dialectOf, INTERFACE_FIELDS } from "../shared/dialect.ts";
import { edit } from "./edit.ts";
import { ID, type ResponsesItem, read, write } from "./read.ts";

export type { ResponsesItem, ResponsesPart } from "./read.ts";

/** OpenAI's Responses API. The system prompt is its `instructions`. */
export const openaiResponses: Dialect<ResponsesItem, string> = dialectOf({
  id: ID,
  rules: {
    system: "apart",
    laterSystem: "anywhere",
    firstRole: "any",
    results: "anywhere",
    leadingReasoning: true,
  },
  message: "an item object",
  read,
  edit,
  isForInterface: (name) => INTERFACE_FIELDS.has(name),
  write,
});
