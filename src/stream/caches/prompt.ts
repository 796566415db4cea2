import { refusesTemperature } from "../../apis/shared/model-traits.ts";
import { encode } from "../../apis/transcode.ts";
import { leadLength } from "../../core/rounds.ts";
import type {
  ImagePart,
  Measure,
  Message,
  Model,
  ModelMessage,
  ModelRequest,
  Part,
  Role,
} from "../../core/types.ts";
import { type ImageFormula, imageTokens } from "../../tokens/index.ts";
import { createLedger, frameTokens, rangesOf } from "../ledger.ts";
import type { CacheEntry, CacheItem, FrameImage, GenerateRequest, KvCache, TurnItem } from "../types.ts";
import { captionText, formatSeconds } from "../words.ts";

/** What `prompt` takes. */
export interface PromptCacheOptions {
  /** The model that watches the stream. */
  readonly model: Model;
  /** How turns are counted, from `createMeasure`. */
  readonly measure: Measure;
  /** How the provider charges a picture. Default `openai`. */
  readonly images?: ImageFormula;
  /** What the model answers when it has nothing to say. Default `<silent>`. */
  readonly silent?: string;
}

/**
 * Any remote model as a cache: what is in it is the message list, which is sent whole each time and grows only at its
 * end, so that the provider's prompt cache is hit. Frames with images are sent as images where the model's API takes
 * them; without images they are a line of text.
 */
export function prompt({
  model,
  measure,
  images = "openai",
  silent = "<silent>",
}: PromptCacheOptions): KvCache {
  const ledger = createLedger();
  const sent = new WeakSet<CacheItem>();
  const pictureTokens = (image: FrameImage): number => Math.ceil(imageTokens(imagePart(image), images));
  const count = (item: CacheItem): number =>
    item.type === "turn"
      ? measure.message({ role: "user", parts: [{ type: "text", text: item.text }] })
      : item.images === undefined
        ? frameTokens(item)
        : item.images.reduce((sum, image) => sum + pictureTokens(image), 0);

  const requestFor = (request: GenerateRequest): ModelRequest => {
    const items = ledger.entries().map((entry) => entry.item);
    const ask =
      request.silence === undefined ? [] : [{ role: "user" as const, text: silenceQuestion(silent) }];
    const common = {
      name: request.name,
      cap: request.cap,
      temperature: request.temperature,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    };
    const hasPictures = items.some((item) => item.type === "frames" && item.images !== undefined);
    // Anthropic caches nothing unless the request says where.
    const isWire = hasPictures || model.continues === "anthropic-messages";
    const settings = refusesTemperature(model.id) ? {} : { temperature: request.temperature };
    const body = isWire ? asRequest(model, asMessages(items, sent), settings) : undefined;
    if (body !== undefined) return { ...common, continues: body, messages: ask };
    const { system, messages } = asModelMessages(items, sent);
    return { ...common, ...(system === undefined ? {} : { system }), messages: [...messages, ...ask] };
  };

  return {
    id: `prompt/${model.id}`,
    get length() {
      return ledger.length;
    },
    count,
    async feed(items) {
      for (const item of items) ledger.add(item, count(item));
    },
    async generate(request) {
      const { last } = ledger;
      const reply = await model.complete(requestFor(request));
      if (last !== undefined) sent.add(last);
      const stopAt = (request.stop ?? []).map((text) => reply.text.indexOf(text)).filter((at) => at >= 0);
      const text = (stopAt.length === 0 ? reply.text : reply.text.slice(0, Math.min(...stopAt))).trim();
      if (request.silence !== undefined && (text === "" || text.startsWith(silent))) return { silent: true };
      const item: TurnItem = { type: "turn", role: "assistant", text, at: request.at };
      ledger.add(item, count(item));
      return { silent: false, item, stop: stopAt.length > 0 ? "end" : reply.stop };
    },
    snapshot: async () => ({ length: ledger.length, data: [...ledger.entries()] }),
    restore: async ({ data }) => ledger.set(data as readonly CacheEntry[]),
    async keep(ranges) {
      // Messages can't be cut: of the ranges, what covers whole items.
      const whole = rangesOf(ledger.entries(), ({ from, to }) =>
        ranges.some((range) => range.from <= from && to <= range.to),
      );
      ledger.keep(whole);
      return whole;
    },
    reset: async () => ledger.clear(),
  };
}

const silenceQuestion = (silent: string): string =>
  `If nothing needs to be said at this moment, answer with ${silent} and nothing else. Otherwise say it in one or two sentences.`;

/** Items that ended a request: what was sent must stay as it was, or the provider's cache is missed. */
type Sent = Pick<WeakSet<CacheItem>, "has">;

/** The items as messages: what the user says, captions and frames between two answers are one user message. */
function asMessages(items: readonly CacheItem[], sent: Sent): Message[] {
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
function asModelMessages(
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
function asRequest(
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

const imagePart = (image: FrameImage): ImagePart => ({
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
