import { isObject, type Json, obj, objects, str } from "../json.ts";
import { digest } from "./fake-wire.ts";
import { ProviderRefusal } from "./refusals.ts";
import type { FakeBody } from "./types.ts";

/** One part of an Anthropic message with where it stands. */
export interface Placed {
  readonly role: "user" | "assistant" | "system";
  readonly message: number;
  readonly part: number;
  readonly block: Json;
}

/** A message's content as a list: a text alone is one text part. */
export function contentOf(message: Json): readonly Json[] {
  const { content } = message;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

/** All parts of a conversation, in order. */
export function placed(messages: readonly Json[]): Placed[] {
  return messages.flatMap((message, index) =>
    contentOf(message).map((block, part) => ({
      role: str(message["role"]) as Placed["role"],
      message: index,
      part,
      block,
    })),
  );
}

export const isThinking = (block: Json): boolean =>
  block["type"] === "thinking" || block["type"] === "redacted_thinking";

/** Without what the cache and the binding don't look at. */
function bare(block: Json): Json {
  const { cache_control: _, ...rest } = block;
  return rest;
}

const SIGNATURE = /^fake-signature\.([\w-]+)\.([\w-]+)$/;
/** The switch needs its beta header, as at the provider. */
const BETA = "thinking-binding-controls-2026-08-01";

/** Claude checks what stands before a thought since Fable 5.1. */
const UNBOUND = /claude-(?:[34]|\w+-4|\w+-5(?![-.]\d\b))/;

/** A change that the provider made to the request's input, as it reports it. */
export interface Transformation {
  readonly type: "thinking_dropped";
  readonly path: string;
  readonly reason: "prefix_binding_mismatch";
}

/** What stands before a part, without thinking: clients leave out old thoughts by themselves. */
function prefixOf(body: FakeBody, before: readonly Placed[]): string {
  return digest(
    systemOf(body),
    // A tool that is loaded later stands where a search found it.
    objects(body["tools"])
      .filter((tool) => tool["defer_loading"] !== true)
      .map(bare),
    before.filter(({ block }) => !isThinking(block)).map(({ role, block }) => [role, bare(block)]),
  );
}

const systemOf = (body: FakeBody): unknown =>
  typeof body["system"] === "string"
    ? [{ type: "text", text: body["system"] }]
    : objects(body["system"]).map(bare);

/** The signature of a thought that is about to be answered with. */
export function sign(body: FakeBody, thinking: string): string {
  return `fake-signature.${digest(thinking)}.${prefixOf(body, placed(objects(body["messages"])))}`;
}

/**
 * Checks every signed thought. Changed words are always refused; a changed prefix is refused, or the thought is left out
 * if the request asks for that.
 */
export function checkBinding(
  body: FakeBody,
  headers: Readonly<Record<string, string>>,
  binding: "prefix" | "none" = UNBOUND.test(str(body["model"])) ? "none" : "prefix",
): { readonly body: FakeBody; readonly transformations: readonly Transformation[] } {
  const all = placed(objects(body["messages"]));
  const dropped: Placed[] = [];
  for (const [index, place] of all.entries()) {
    if (place.block["type"] !== "thinking") continue;
    const path = `messages.${place.message}.content.${place.part}`;
    const match = SIGNATURE.exec(str(place.block["signature"]));
    if (match === null) throw new ProviderRefusal(`${path}: Invalid \`signature\` in \`thinking\` block`);
    if (match[1] !== digest(str(place.block["thinking"])))
      throw new ProviderRefusal(
        `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
      );
    if (binding === "none" || match[2] === prefixOf(body, all.slice(0, index))) continue;
    if (!mayDrop(body, headers))
      throw new ProviderRefusal(
        `${path}: Invalid \`signature\` in \`thinking\` block: the conversation before it differs from the one it was created in (prefix_binding_mismatch)`,
      );
    dropped.push(place);
  }
  return {
    body: dropped.length === 0 ? body : without(body, dropped),
    transformations: dropped.map((place) => ({
      type: "thinking_dropped",
      path: `messages.${place.message}.content.${place.part}`,
      reason: "prefix_binding_mismatch",
    })),
  };
}

function mayDrop(body: FakeBody, headers: Readonly<Record<string, string>>): boolean {
  const behavior = obj(obj(body["thinking"])["block_binding"])["prefix_mismatch_behavior"];
  return behavior === "drop_block" && (headers["anthropic-beta"] ?? "").split(/,\s*/).includes(BETA);
}

function without(body: FakeBody, dropped: readonly Placed[]): FakeBody {
  const gone = new Set(dropped.map(({ block }) => block));
  const messages = objects(body["messages"]).map((message): Json => {
    const { content } = message;
    return Array.isArray(content)
      ? { ...message, content: content.filter((block) => !gone.has(block)) }
      : message;
  });
  return { ...body, messages };
}
