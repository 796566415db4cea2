import type { InsertMessage } from "../../core/types.ts";
import { legalText } from "../shared/legal-text.ts";
import type { ResponsesItem } from "./wire.ts";

/**
 * A message item. The API takes `input_text` from everyone but the assistant, whose text must be `output_text`; newer
 * models know the system role as `developer`.
 */
export function write(message: InsertMessage): ResponsesItem {
  const role = message.role === "system" ? "developer" : message.role;
  const type = role === "assistant" ? "output_text" : "input_text";
  return { type: "message", role, content: [{ type, text: legalText(message.text) }] };
}
