import type { InsertMessage } from "../../core/types.ts";
import { legalText } from "../shared/legal-text.ts";
import type { ResponsesItem } from "./wire.ts";

/**
 * A message item. The API takes a list of `input_text` from everyone but the assistant; what the assistant says in a list needs
 * an id of the API's, so it is a plain text. Newer models know the system role as `developer`.
 */
export function write(message: InsertMessage): ResponsesItem {
  const text = legalText(message.text);
  if (message.role === "assistant") return { type: "message", role: "assistant", content: text };
  const role = message.role === "system" ? "developer" : message.role;
  return { type: "message", role, content: [{ type: "input_text", text }] };
}
