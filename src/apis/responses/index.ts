import type { Dialect } from "../../core/types.ts";
import { INTERFACE_FIELDS, withFieldEdit } from "../shared/edit.ts";
import { withoutMarker } from "../shared/reading.ts";
import { reasoningOf } from "../shared/reasoning.ts";
import { edit } from "./edit.ts";
import { ID, read } from "./read.ts";
import type { ResponsesItem } from "./wire.ts";
import { write } from "./wire.ts";

export type { ResponsesItem, ResponsesPart } from "./wire.ts";

/** OpenAI's Responses API. The system prompt is its `instructions`. */
export const openaiResponses: Dialect<ResponsesItem, string> = {
  id: ID,
  rules: {
    system: "apart",
    laterSystem: "anywhere",
    firstRole: "any",
    results: "anywhere",
    leadingReasoning: true,
  },
  reasoningOf,
  read,
  edit: withFieldEdit(edit, (name) => INTERFACE_FIELDS.has(name)),
  unmarked: withoutMarker,
  write,
};
