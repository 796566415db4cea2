import { count } from "../../apis/shared/fields.ts";
import { defined } from "../../core/collections.ts";
import { isRecord, parseJson } from "../../core/json.ts";

/** What a provider's "too long" answer tells. */
export interface Overflow {
  /** The provider's own count of the input (with the answer's reserve where it names only the sum). */
  readonly tokens?: number;
  /** The window, or the largest input that it allows. */
  readonly limit?: number;
  /** Too many bytes, which says nothing about the window. */
  readonly bytes?: true;
}

/** One wording: how it is recognised, and which of its numbers mean what. */
interface Wording {
  readonly of: string;
  readonly pattern: RegExp;
}

/** Digits with or without separators. Named groups: `tokens` is what was sent, `limit` what fits. */
const N = "(\\d[\\d,_]*)";
const tokens = `(?<tokens>${N})`;
const limit = `(?<limit>${N})`;
const wording = (of: string, ...parts: readonly string[]): Wording => ({
  of,
  pattern: new RegExp(parts.join(""), "is"),
});

/**
 * The wordings, the exact ones first: the first that matches gives the numbers. Each has a real answer in the test.
 * `[^]*?` and friends are bounded, because the texts come from outside.
 */
const WORDINGS: readonly Wording[] = [
  wording("anthropic", `prompt is too long: ${tokens} tokens > ${limit} maximum`),
  wording(
    "anthropic",
    "input length and `?max_tokens`? exceed context limit: ",
    `${tokens} \\+ ${N} > ${limit}`,
  ),
  wording("ollama, fireworks", `prompt is too long: ${tokens}, model maximum context length: ${limit}`),
  wording(
    "openai, gpt-5",
    `exceed the configured limit of ${limit} tokens.{0,20}resulted in ${tokens} tokens`,
  ),
  wording(
    "openai",
    `maximum context length is ${limit} tokens.{0,40}messages resulted in (?:over )?${tokens} tokens`,
  ),
  // The input alone, where the sum is split up: the sum holds the answer's reserve, which isn't part of the view.
  wording(
    "openai, azure, deepseek, vllm",
    `maximum context length is ${limit} tokens.{0,20}you requested ${N} tokens \\(${tokens} in (?:the|your) (?:messages|prompt)`,
  ),
  wording("vllm", `maximum context length is ${limit} tokens.{0,60}?request has ${tokens} input tokens`),
  wording(
    "vllm",
    `maximum context length is ${limit} tokens.{0,80}?prompt contains at least ${tokens} input tokens`,
  ),
  wording("vllm", `passed ${tokens} input tokens.{0,80}context length is only ${limit} tokens`),
  wording(
    "vllm",
    `prompt \\(total length ${tokens}\\) is too long to fit into the model \\(context length ${limit}\\)`,
  ),
  wording("vllm", `prompt \\(length ${tokens}\\) is longer than the maximum model length of ${limit}`),
  wording(
    "openrouter",
    `maximum context length is ${limit} tokens.{0,20}you requested about ${N} tokens \\(${tokens} of text input`,
  ),
  wording(
    "openrouter",
    `maximum context length is ${limit} tokens.{0,20}you requested about ${tokens} tokens`,
  ),
  wording("openai-like", `maximum context length is ${limit} tokens.{0,40}requested ${tokens} tokens`),
  wording(
    "sglang",
    `exceeds the model's maximum context length of ${limit} tokens.{0,80}?${tokens} tokens from the input`,
  ),
  wording("litellm", `exceeds the model's maximum context length of ${limit}`),
  wording(
    "together, sglang",
    `input \\(${tokens} tokens\\) is longer than the model's context length \\(${limit} tokens`,
  ),
  wording("poolside", `input length ${tokens} exceeds the maximum allowed input length of ${limit}`),
  wording(
    "gemini",
    `input token count \\(${tokens}\\) exceeds the maximum number of tokens allowed \\(${limit}`,
  ),
  wording("gemini", `input token count exceeds the maximum number of tokens allowed \\(?${limit}`),
  wording("vertex", `input token count is ${tokens} but (?:the )?model only supports up to ${limit}`),
  wording("xai", `maximum prompt length is ${limit} but the request contains ${tokens} tokens`),
  wording(
    "mistral",
    `contains ${tokens} tokens.{0,80}too large for model with ${limit} maximum context length`,
  ),
  wording("cohere", `too many tokens: .{0,60}cannot exceed ${limit} - received ${tokens}`),
  wording("cohere", `too many tokens: size limit exceeded by ${N} tokens`),
  wording("copilot", `prompt token count of ${tokens} exceeds the limit of ${limit}`),
  wording("kimi", `exceeded model token limit: ${limit}(?: \\(requested: ${tokens}\\))?`),
  wording("dashscope", `range of input length should be \\[\\d+, ?${limit}\\]`),
  wording("cerebras", `current length is ${tokens} while limit is ${limit}`),
  wording(
    "llama.cpp",
    `request \\(${tokens} tokens\\) exceeds the available context size \\(${limit} tokens`,
  ),
  wording("llama.cpp", "exceeds the available context size"),
  wording("llama-cpp-python", `requested tokens \\(${tokens}\\) exceed context window of ${limit}`),
  wording("lm studio", `n_keep: ?${tokens} ?>= ?n_ctx: ?${limit}`),
  wording("lm studio", `keep the first ${tokens} tokens.{0,80}context length of only ${limit} tokens`),
  wording("lm studio", "context size has been exceeded|greater than the context length"),
  wording(
    "tgi",
    `\`inputs\` tokens \\+ \`max_new_tokens\` must be <= ${limit}\\. given: ${tokens} \`inputs\``,
  ),
  wording("tgi", `\`inputs\` must have less than ${limit} tokens\\. given: ${tokens}`),
  wording(
    "ollama",
    "prompt too long; exceeded (?:max )?context length|input length exceeds the context length",
  ),
  wording("ds4", `prompt has ${tokens} tokens?, but the configured context size is ${limit} tokens`),
  wording(
    "sglang",
    `input length \\(${tokens} tokens\\) exceeds the maximum allowed length \\(${limit} tokens`,
  ),
  wording("siliconflow", `prompt_tokens \\(${tokens}\\) must be less than max_seq_len \\(${limit}\\)`),
  wording("watsonx", `number of input tokens ${tokens} cannot exceed the total tokens limit ${limit}`),
  wording("lm studio", `reached context length of ${limit} tokens`),
  wording("lm studio, mlx", `longer than the model's max context length: ${tokens} > ${limit}`),
  wording("github models", `body too large for .{0,100}model\\. max size: ${limit} tokens`),
  // Its number is the sum with the largest answer.
  wording(
    "cloudflare",
    `input and maximum output tokens \\(${tokens}\\) exceeded this model context window limit \\(${limit}\\)`,
  ),
  wording("tabby", `(?:prompt|context) length ${tokens} is greater than max_seq_len ${limit}`),
  wording(
    "tensorrt-llm",
    `sum of prompt length \\(${tokens}(?:\\.0)?\\).{0,80}should not exceed max_seq_len \\(${limit}`,
  ),
  wording("databricks", `input is too long: ${tokens} tokens, the model supports at most ${limit} tokens`),
  wording("snowflake", `prompt is too large: max tokens of ${limit} exceeded`),
  wording("volcengine ark", "total tokens of image and text exceed max message tokens"),
  wording("llama.cpp", "input is too large to process"),
  wording("bedrock", "input is too long for requested model|input tokens exceeded: number of input tokens"),
  wording("bedrock", "too many input tokens"),
  wording("openai responses", "exceeds the context window of this model"),
  wording("groq", "reduce the length of the messages or completion"),
  wording("minimax", "context window exceeds limit"),
  wording("z.ai", "prompt exceeds max(?:imum)? length|model_context_window_exceeded"),
  wording("anthropic", "prompt is too long"),
  wording(
    "any",
    "context[_ ]length[_ ]exceeded|context_window_exceeded|maximum context length|exceeds? (?:the )?(?:model's )?context (?:window|length|limit)",
  ),
];

/**
 * What sounds the same and isn't: limits per minute, and an answer's cap that is too large by itself. Compacting
 * doesn't help against those.
 */
const NOT_OVERFLOW =
  /throttl|rate[ _-]?limit|tokens per (?:minute|day|hour)|\bTPM\b|too many tokens, please wait|quota|supports at most \d+ completion tokens/i;

/**
 * A limit per minute that one request alone is above (Groq 413, OpenAI 429): waiting never helps, sending less does.
 */
const ABOVE_RATE = /request too large for .{0,200}limit:? (?<limit>\d+),? requested:? (?<tokens>\d+)/is;

/** Codes and types that say it without words. */
const CODES = new Set([
  "context_length_exceeded",
  "context_window_exceeded",
  "exceed_context_size_error",
  "model_max_prompt_tokens_exceeded",
  "model_context_window_exceeded",
  "context_overflow",
]);

/** A request that is too large in bytes; for us the same: less must be sent. */
const PAYLOAD_TOO_LARGE = 413;
const RATE_LIMITED = 429;
/** Longest text that is searched: an HTML error page of a proxy isn't. */
const MAX_TEXT_CHARS = 20_000;
/** How deep an error is wrapped in another one's text (a router's answer holds its provider's answer). */
const MAX_DEPTH = 6;

/**
 * Whether a provider refused a request because it doesn't fit the model's window, with the numbers that it gave.
 * `body` is the answer's text, its JSON, or an error's text. An answer 200 with an error inside counts too.
 *
 * @example
 * overflowOf(400, "prompt is too long: 213462 tokens > 200000 maximum"); // { tokens: 213462, limit: 200000 }
 * overflowOf(429, "Rate limit reached for gpt-4o on tokens per min"); // undefined
 */
export function overflowOf(status: number, body: unknown): Overflow | undefined {
  const found: Found = { texts: [], codes: [] };
  collect(body, found, 0);
  const text = found.texts.join("\n").slice(0, MAX_TEXT_CHARS);
  const above = ABOVE_RATE.exec(text)?.groups;
  if (above !== undefined && Number(above["tokens"]) > Number(above["limit"]))
    return build(Number(above["tokens"]), Number(above["limit"]));
  if (status === RATE_LIMITED) return undefined;
  const said = wordsOf(text);
  // Numbers that say it are believed, whatever else a router writes around them.
  const isSure = said?.tokens !== undefined && said.limit !== undefined && said.tokens > said.limit;
  if (!isSure && NOT_OVERFLOW.test(text)) return undefined;
  if (said) return build(said.tokens ?? found.tokens, said.limit ?? found.limit);
  if (found.codes.some((code) => CODES.has(code))) return build(found.tokens, found.limit);
  return status === PAYLOAD_TOO_LARGE ? { ...build(found.tokens, found.limit), bytes: true } : undefined;
}

/** The first wording that a text has, with its numbers. */
function wordsOf(text: string): { readonly tokens?: number; readonly limit?: number } | undefined {
  for (const { pattern } of WORDINGS) {
    const match = pattern.exec(text);
    if (match) return build(numberOf(match.groups?.["tokens"]), numberOf(match.groups?.["limit"]));
  }
  return undefined;
}

interface Found {
  readonly texts: string[];
  readonly codes: string[];
  tokens?: number;
  limit?: number;
}

function build(tokenCount: number | undefined, limitCount: number | undefined): Overflow {
  return {
    ...defined({ tokens: tokenCount, limit: limitCount }),
  };
}

/** Every text and code of an answer, also of one that is wrapped as a text in another. */
function collect(value: unknown, found: Found, depth: number): void {
  if (depth > MAX_DEPTH) return;
  if (typeof value === "string") {
    const start = value.search(/[[{]/);
    const inner = start < 0 ? undefined : parseJson(value.slice(start));
    if (inner !== undefined && typeof inner === "object") collect(inner, found, depth + 1);
    found.texts.push(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, found, depth + 1);
  } else if (isRecord(value)) {
    for (const [key, field] of Object.entries(value)) {
      if ((key === "code" || key === "type" || key === "status") && typeof field === "string")
        found.codes.push(field.toLowerCase());
      else if (key === "n_prompt_tokens") assign(found, "tokens", field);
      else if (key === "n_ctx") assign(found, "limit", field);
      else if (typeof field === "string" || typeof field === "object") collect(field, found, depth + 1);
    }
  }
}

function assign(found: Found, key: "tokens" | "limit", value: unknown): void {
  const number = count(value);
  if (number !== undefined) found[key] = number;
}

function numberOf(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits.replace(/[,_]/g, ""));
}
