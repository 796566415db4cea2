import { openaiResponses, type ResponsesItem } from "../../apis/responses/index.ts";
import type { Dialect, Edit } from "../../core/types.ts";

/** An item of a session (`AgentInputItem`), as far as it is read. All other fields pass through. */
export interface AgentItem {
  readonly type?: string | undefined;
}

/** The fields that the Agents SDK writes otherwise than the Responses API. */
interface Fields extends AgentItem {
  readonly role?: unknown;
  readonly callId?: unknown;
  readonly output?: unknown;
  readonly content?: unknown;
  readonly [name: string]: unknown;
}

/** How the two name the same types. */
const TYPES: Readonly<Record<string, string>> = { function_call_result: "function_call_output" };

/** The item as the Responses API would carry it. */
function toResponses(item: AgentItem): ResponsesItem {
  const { callId, ...rest } = item as Fields;
  const type = rest.type === undefined ? undefined : (TYPES[rest.type] ?? rest.type);
  const call = callId === undefined ? {} : { call_id: callId };
  switch (type) {
    case "function_call_output":
      return { ...rest, ...call, type, output: outputOf(rest.output) } as ResponsesItem;
    case "reasoning":
      return { ...rest, type, summary: rest.content ?? [] } as ResponsesItem;
    default: {
      const content = Array.isArray(rest.content) ? { content: partsOf(rest.content) } : {};
      return { ...rest, ...call, ...content } as ResponsesItem;
    }
  }
}

/** Pictures are named by a field of another name. */
function partsOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: Fields) =>
    part.type === "input_image" && typeof part["image"] === "string"
      ? { ...part, image_url: part["image"] }
      : part,
  );
}

/** A result is a text, one part or several. */
function outputOf(output: unknown): unknown {
  if (Array.isArray(output)) return partsOf(output);
  const { type, text } = (output ?? {}) as Fields & { readonly text?: unknown };
  if (type === "text" && typeof text === "string") return text;
  return typeof output === "string" ? output : JSON.stringify(output ?? "");
}

/** The edited item in the SDK's own words: what the edits changed is taken over, all else is the item's. */
function edit(item: AgentItem, edits: readonly Edit[]): AgentItem {
  const before = toResponses(item);
  const after = openaiResponses.edit(before, edits) as Fields;
  if (after === before) return item;
  const changed: Record<string, unknown> = {};
  for (const name of ["content", "output", "arguments"] as const)
    if (after[name] !== (before as Fields)[name]) changed[name] = after[name];
  const { output } = item as Fields;
  const isTextPart = typeof output === "object" && (output as Fields | null)?.type === "text";
  if (isTextPart && typeof changed["output"] === "string")
    changed["output"] = { ...output, text: changed["output"] };
  return { ...item, ...changed };
}

/** The items of the OpenAI Agents SDK. */
export const agentItems: Dialect<AgentItem> = {
  id: "openai-agents",
  rules: openaiResponses.rules,
  ...(openaiResponses.reasoningOf && { reasoningOf: openaiResponses.reasoningOf }),
  read: (item) => openaiResponses.read(toResponses(item)),
  edit,
  write: ({ role, text }) =>
    role === "assistant"
      ? { type: "message", role, status: "completed", content: [{ type: "output_text", text }] }
      : ({ type: "message", role, content: text } as AgentItem),
};
