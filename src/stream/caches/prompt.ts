import { refusesTemperature } from "../../apis/shared/model-traits.ts";
import type { Measure, Model, ModelRequest } from "../../core/types.ts";
import { type ImageFormula, imageTokens } from "../../tokens/index.ts";
import { frameTokens } from "../frames.ts";
import { createLedger, rangesOf } from "../ledger.ts";
import type { CacheEntry, CacheItem, FrameImage, GenerateRequest, KvCache, TurnItem } from "../types.ts";
import { asMessages, asModelMessages, asRequest, imagePart } from "./prompt-request.ts";

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
