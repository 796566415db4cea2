import { encode } from "../../apis/transcode.ts";
import { leadLength } from "../../core/rounds.ts";
import type { ImagePart, Message, Model, ModelMessage, Part, Role } from "../../core/types.ts";
import { formatSeconds } from "../format-seconds.ts";
import { captionText } from "../template.ts";
import type { CacheItem, FrameImage } from "../types.ts";

/** Items that ended a request: what was sent must stay as it was, or the provider's cache is missed. */
export type Sent = Pick<WeakSet<CacheItem>, "has">;

/** The items as messages: what the user says, captions and frames between two answers are one user message. */
export function asMessages(items: readonly CacheItem[], sent: Sent): Message[] {
  const messages: { role: Role; parts: Part[] }[] = [];
  for (const item of mergeFrames(items, sent)) {
    const role = item.type === "turn" && item.role !== "caption" ? item.role : "user";
    const parts = partsOf(item);
    const last = messages.at(-1);
    if (last?.role === role && role === "user") last.parts.push(...parts);
    else messages.push({ role, parts });
  }
  return messages;
}

/** The same in plain words, for a request without pictures. */
export function asModelMessages(
  items: readonly CacheItem[],
  sent: Sent,
): { readonly system: string | undefined; readonly messages: readonly ModelMessage[] } {
  const messages = asMessages(items, sent);
  const start = leadLength(messages, ({ role }) => role);
  const leading = messages.slice(0, start);
  const rest = messages.slice(start);
  return {
    system: leading.length === 0 ? undefined : leading.map(textOf).join("\n\n"),
    messages: rest.map((message) => ({
      role: message.role === "assistant" ? "assistant" : "user",
      text: message.role === "system" ? `[system] ${textOf(message)}` : textOf(message),
    })),
  };
}

/** A request body in the model's own format; undefined where that has no place for pictures here. */
export function asRequest(
  model: Model,
  messages: readonly Message[],
  settings: { readonly temperature?: number },
): Readonly<Record<string, unknown>> | undefined {
  const dialect = model.continues;
  if (dialect === "openai-chat")
    return { model: model.id, messages: encode(dialect, messages).messages, ...settings };
  if (dialect === "openai-responses")
    return { model: model.id, input: encode(dialect, messages).messages, ...settings };
  if (dialect === "anthropic-messages") {
    const encoded = encode(dialect, messages);
    return {
      model: model.id,
      ...(encoded.system === undefined ? {} : { system: cached(encoded.system) }),
      messages: cachedMessages(encoded.messages),
      ...settings,
    };
  }
  return undefined;
}

export const imagePart = (image: FrameImage): ImagePart => ({
  type: "image",
  source: image.source,
  ...(image.width === undefined ? {} : { width: image.width }),
  ...(image.height === undefined ? {} : { height: image.height }),
});

/** Anthropic caches only where it is told to: up to the end of the system prompt, and up to the newest message. */
const cachedMessages = (messages: readonly unknown[]): unknown[] =>
  messages.map((message, index) => {
    const { content } = message as { readonly content: unknown };
    return index === messages.length - 1 ? { ...(message as object), content: cached(content) } : message;
  });

/** The last part carries the mark. */
const cached = (system: unknown): unknown =>
  Array.isArray(system) && system.length > 0
    ? [...system.slice(0, -1), { ...(system.at(-1) as object), cache_control: { type: "ephemeral" } }]
    : system;

/** Frames without pictures that follow each other within one request are one line. */
function mergeFrames(items: readonly CacheItem[], sent: Sent): CacheItem[] {
  const merged: CacheItem[] = [];
  items.forEach((item, index) => {
    const before = items[index - 1];
    const last = merged.at(-1);
    const follows = item.type === "frames" && last?.type === "frames" && !item.images && !last.images;
    if (follows && before !== undefined && !sent.has(before))
      merged[merged.length - 1] = { ...last, count: last.count + item.count, until: item.until };
    else merged.push(item);
  });
  return merged;
}

function partsOf(item: CacheItem): Part[] {
  if (item.type === "turn")
    return [{ type: "text", text: item.role === "caption" ? captionText(item.text) : item.text }];
  if (item.images !== undefined) return item.images.map(imagePart);
  const frames = item.count === 1 ? "1 frame" : `${item.count} frames`;
  return [{ type: "text", text: `[${frames}, ${formatSeconds(item.at)} to ${formatSeconds(item.until)}]` }];
}

const textOf = (message: Message): string =>
  message.parts.map((part) => (part.type === "text" ? part.text : "[picture]")).join("\n");
