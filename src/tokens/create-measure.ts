import { ConfigError } from "../core/errors.ts";
import { stringifyDeep } from "../core/json.ts";
import type { FilePart, Measure, Message, Part, TokenCounter } from "../core/types.ts";
import { type ImageFormula, imageTokens } from "./image-tokens.ts";

/** What a message costs beside its content: start, separator and end marker of OpenAI's chat format. */
export const MESSAGE_TOKENS = 3;
/** The role's name. */
const ROLE_TOKENS = 1;
/** Recipient, channel and id around the name and the arguments of a tool call. */
const TOOL_CALL_TOKENS = 8;
/** Sender, channel and id around a tool's answer. */
const TOOL_RESULT_TOKENS = 6;
/** A frame of video where the host doesn't say: Gemini's price of one. */
const DEFAULT_TOKENS_PER_FRAME = 258;
/** Least and largest factor that isn't a mistake. */
const FACTOR_LIMITS = { min: 0.1, max: 10 };

/** What `createMeasure` takes. */
export interface MeasureOptions {
  readonly counter: TokenCounter;
  /** Calibration: the provider's tokens ÷ the counter's. Default 1. */
  readonly factor?: number;
  /** How pictures are charged. Default `openai`. */
  readonly images?: ImageFormula;
  /** What a frame of video and the separator between two frames cost. Default 258 and 0. */
  readonly frames?: { readonly tokensPerFrame: number; readonly separator?: number };
}

/** Tokens by the counter, which the factor applies to, and tokens by a provider's formula, which it doesn't. */
interface Tally {
  text: number;
  media: number;
}

/**
 * Counts whole messages: overhead, role, text, tool calls and results, reasoning, pictures, files and frames.
 *
 * A message costs ⌈text × factor⌉ + media, so the sum over messages is the same wherever it is made. Pictures, files
 * and frames are counted by the provider's formula, never by the length of their base64.
 *
 * @example
 * const measure = createMeasure({ counter: await exactCounter("o200k_base") });
 * measure.message({ role: "user", parts: [{ type: "text", text: "Hello, world!" }] }); // 8
 */
export function createMeasure(options: MeasureOptions): Measure {
  const { counter, factor = 1, images = "openai" } = options;
  const perFrame = options.frames?.tokensPerFrame ?? DEFAULT_TOKENS_PER_FRAME;
  const separator = options.frames?.separator ?? 0;
  if (!(factor >= FACTOR_LIMITS.min && factor <= FACTOR_LIMITS.max))
    throw new ConfigError({
      option: "factor",
      message: `${factor} is not between ${FACTOR_LIMITS.min} and ${FACTOR_LIMITS.max}.`,
      fix: "Use the provider's tokens divided by the counter's, e.g. 1.3.",
    });

  const scale = (tokens: number): number => Math.ceil(tokens * factor);
  /** NaN is never above a budget, and nothing is with a negative number: everything would be let through. */
  const count = (text: string): number => {
    const tokens = counter.count(text);
    if (Number.isFinite(tokens) && tokens >= 0) return tokens;
    throw new ConfigError({
      option: "counter",
      message: `the counter \`${counter.id}\` returned something that isn't a number of tokens.`,
      fix: "Make its `count` return the number of tokens of a text.",
    });
  };

  const add = (tally: Tally, part: Part): void => {
    switch (part.type) {
      case "text":
      case "reasoning":
        tally.text += count(part.text);
        return;
      case "tool-call":
        tally.text += TOOL_CALL_TOKENS + count(part.name) + count(part.args);
        return;
      case "tool-result":
        tally.text += TOOL_RESULT_TOKENS + count(part.name ?? "") + count(part.text);
        for (const inner of part.media ?? []) add(tally, inner);
        return;
      case "image":
        tally.media += imageTokens(part, images);
        return;
      case "file":
        if (part.text === undefined) tally.media += fileTokens(part);
        else tally.text += count(part.text);
        tally.text += count(part.name ?? "");
        return;
      case "frame":
        tally.media += part.count * perFrame + Math.max(0, part.count - 1) * separator;
        return;
      case "other":
        tally.text += count(part.json);
        return;
      default:
        part satisfies never;
    }
  };

  return {
    counter,
    text: (text) => scale(count(text)),
    message(message: Message) {
      const tally: Tally = { text: MESSAGE_TOKENS + ROLE_TOKENS, media: 0 };
      for (const part of message.parts) add(tally, part);
      return scale(tally.text) + Math.ceil(tally.media);
    },
    tools(tools) {
      const json = toolsJson(tools);
      return json === undefined ? 0 : scale(count(json));
    },
  };
}

/** The tools as JSON; undefined for none. Counted by content, so a list that the host changes in place is seen. */
function toolsJson(tools: unknown): string | undefined {
  if (tools === undefined || tools === null) return undefined;
  if (typeof tools === "object" && Object.keys(tools).length === 0) return undefined;
  try {
    return stringifyDeep(tools);
  } catch {
    // Tool objects of SDKs may carry schema objects that refer to themselves.
    return JSON.stringify(tools, withoutCycles());
  }
}

function withoutCycles(): (key: string, value: unknown) => unknown {
  const seen = new WeakSet<object>();
  return (_key, value) => {
    if (typeof value === "bigint") return value.toString();
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value)) return undefined;
    seen.add(value);
    return value;
  };
}

/** A page of a document as text and picture; providers state 1,500 to 3,000. */
const TOKENS_PER_PAGE = 2_000;
/** A page of an average PDF. */
const BYTES_PER_PAGE = 50_000;
/** Text that we aren't given but know the size of. */
const TEXT_BYTES_PER_TOKEN = 4;
/** Sound at 32 tokens and about 16,000 bytes a second. */
const AUDIO_BYTES_PER_TOKEN = 500;
/** Video at about 290 tokens and 250,000 bytes a second. */
const VIDEO_BYTES_PER_TOKEN = 850;
/** Nothing is known but that there is a file: one page. */
const UNKNOWN_FILE_TOKENS = TOKENS_PER_PAGE;

const TEXT_TYPES = /^text\/|[/+](?:json|xml|yaml|csv)$|javascript|typescript/;

/** An estimate for a file whose text we don't have, by its type and size. Its base64 text never counts. */
export function fileTokens(file: FilePart): number {
  const { bytes, mediaType = "" } = file;
  if (bytes === undefined || !(bytes >= 0)) return UNKNOWN_FILE_TOKENS;
  if (TEXT_TYPES.test(mediaType)) return Math.ceil(bytes / TEXT_BYTES_PER_TOKEN);
  if (mediaType.startsWith("audio/")) return Math.ceil(bytes / AUDIO_BYTES_PER_TOKEN);
  if (mediaType.startsWith("video/")) return Math.ceil(bytes / VIDEO_BYTES_PER_TOKEN);
  return Math.max(1, Math.ceil(bytes / BYTES_PER_PAGE)) * TOKENS_PER_PAGE;
}

/**
 * Counts bytes of UTF-8: no text has more tokens than that, because every token stands for at least one byte. Nothing has
 * to be loaded for it.
 */
export const mostTokens: TokenCounter = {
  id: "utf-8-bytes",
  count(text) {
    let bytes = 0;
    for (const character of text) {
      // Half of a pair leaves as U+FFFD, three bytes.
      const code = character.codePointAt(0)!;
      bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    }
    return bytes;
  },
};
