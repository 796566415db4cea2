import type { InsertMessage } from "../../core/types.ts";
import { legalText } from "../shared/legal-text.ts";

/** A part of a message's content, or of an output that is a list. Fields that precis doesn't read pass through. */
export interface ResponsesPart {
  readonly type?: string;
  readonly text?: unknown;
  readonly refusal?: unknown;
  readonly image_url?: unknown;
  readonly file_id?: unknown;
  readonly file_data?: unknown;
  readonly file_url?: unknown;
  readonly filename?: unknown;
  readonly detail?: unknown;
}

/**
 * An item of the Responses API's `input`, or its `instructions` as `{ role: "system", content }`. Permissive on
 * purpose: the official types are assignable to it. Every item is a message to precis, also those that the API
 * doesn't call so.
 */
export interface ResponsesItem {
  readonly type?: string | null | undefined;
  readonly role?: string | undefined;
  readonly content?: unknown;
  readonly id?: string | null | undefined;
  readonly call_id?: string | null | undefined;
  readonly approval_request_id?: string | null | undefined;
  readonly name?: string | undefined;
  readonly arguments?: unknown;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly action?: unknown;
  readonly operation?: unknown;
  readonly summary?: unknown;
  readonly encrypted_content?: string | null | undefined;
  readonly precis?: unknown;
}

/** The item's type; `message` and `item_reference` may leave it out. */
export function itemType(item: { readonly [K in "type" | "role" | "id"]?: unknown }): string | undefined {
  if (typeof item.type === "string") return item.type;
  if (item.role !== undefined) return "message";
  return typeof item.id === "string" ? "item_reference" : undefined;
}

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
